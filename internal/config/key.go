package config

import (
	"strings"
	"time"
)

// Kind is the type of a setting's value.
type Kind string

// The kinds. In environment variables and flags everything is text: lists are
// separated by commas.
const (
	Text    Kind = "text"
	Choice  Kind = "choice"  // one of Key.Values
	Path    Kind = "path"    // "~/" is the home folder; relative to the file it stands in, else to the working folder
	Switch  Kind = "switch"  // true or false
	Count   Kind = "count"   // a whole number, 0 or more
	Seconds Kind = "seconds" // a whole number of seconds, 0 or more
	Size    Kind = "size"    // bytes, or a text with KiB, MiB, GiB
	Texts   Kind = "list of texts"
	Rules   Kind = "list of rules"
	Agents  Kind = "table of agents"
	// Providers are servers of models by name.
	Providers Kind = "table of providers"
)

// WorkspaceUse says what a file inside a workspace may do to a setting.
type WorkspaceUse string

// The uses. A narrowing value that is wider than the user's has no effect.
const (
	Forbidden WorkspaceUse = "no"
	Narrows   WorkspaceUse = "narrower only"
	Displays  WorkspaceUse = "yes"
)

// Key declares one setting.
type Key struct {
	// Name is the dotted key of files and editor settings.
	Name string
	Kind Kind
	// Flag is the command line flag without dashes, "" for none.
	Flag string
	// Arg is the placeholder of the flag's value.
	Arg string
	// Doc is one line of Markdown.
	Doc string
	// Default is the default in words; the value is in the constructor.
	Default string
	// Values are those of a Choice.
	Values []string
	// Workspace is what a workspace's file may do.
	Workspace WorkspaceUse
	// Outside keeps the key out of files and editor settings: it says where
	// they are.
	Outside bool
	// Secret values are never printed.
	Secret bool
	// Least is the smallest number or size that works.
	Least int64
	// PathAfter is the beginning of a Text behind which a path stands, "" for none.
	PathAfter string

	get func(*Config) any
	set func(*Config, any)
	// narrower reports whether a workspace's value is narrower; nil means that
	// the values add up.
	narrower func(have, offered any) bool
}

// Env returns the name of the environment variable, "" for kinds that do not
// fit into one.
func (k *Key) Env() string {
	if k.Kind == Rules || k.Kind == Agents || k.Kind == Providers {
		return ""
	}
	return envPrefix + strings.ToUpper(strings.ReplaceAll(k.Name, ".", "_"))
}

// envPrefix begins all variables of the program.
const envPrefix = "AGENT_LS_"

// setting ties a declaration to its field.
func setting[T any](k Key, field func(*Config) *T) Key {
	k.get = func(c *Config) any { return *field(c) }
	k.set = func(c *Config, v any) { *field(c) = v.(T) }
	if k.Workspace == "" {
		k.Workspace = Forbidden
	}
	return k
}

// Keys returns the table of all settings, in the order of the reference.
func Keys() []Key { return append([]Key(nil), keys...) }

// lookup finds a key by name; camelCase counts as snake_case, as seed 001
// spells its options.
func lookup(name string) (*Key, bool) {
	name = snake(name)
	for i := range keys {
		if keys[i].Name == name {
			return &keys[i], true
		}
	}
	return nil, false
}

// isTable reports whether keys lie below name.
func isTable(name string) bool {
	for i := range keys {
		if strings.HasPrefix(keys[i].Name, snake(name)+".") {
			return true
		}
	}
	return false
}

func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if r >= 'A' && r <= 'Z' {
			if i > 0 && name[i-1] != '.' {
				b.WriteByte('_')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// shorter reports whether a bound in time is narrower; 0 is no bound.
func shorter(have, offered any) bool {
	h, o := have.(time.Duration), offered.(time.Duration)
	return o > 0 && (h == 0 || o < h)
}

// stricter compares permission modes by their place in modes.
func stricter(have, offered any) bool {
	return indexOf(modes, offered.(string)) < indexOf(modes, have.(string))
}

// sandboxes are the confinements of commands, from wide to narrow.
var sandboxes = []string{"off", "workspace-write", "read-only"}

// tighter compares confinements by their place in sandboxes.
func tighter(have, offered any) bool {
	return indexOf(sandboxes, offered.(string)) > indexOf(sandboxes, have.(string))
}

func indexOf(list []string, s string) int {
	for i, have := range list {
		if have == s {
			return i
		}
	}
	return -1
}
