package config

import (
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"time"
)

// Setting is one line of a report.
type Setting struct {
	Key    string
	Value  string
	Origin Origin
}

// Report lists every setting with its value and origin, in the order of the
// reference, for doctor. Secrets are only said to be set.
func (c *Config) Report() []Setting {
	out := make([]Setting, len(keys))
	for i := range keys {
		k := &keys[i]
		v := k.get(c)
		out[i] = Setting{k.Name, k.show(v), c.Origin(k.Name)}
		if out[i].Origin.Source == SourceDefault && v != nil && reflect.ValueOf(v).IsZero() && v != false {
			out[i].Value = "" // what holds then is said by the reference, not by a zero
		}
	}
	return out
}

// show prints a value for people.
func (k *Key) show(v any) string {
	switch v := v.(type) {
	case string:
		if k.Secret && v != "" {
			return "(set)"
		}
		return PublicURL(v)
	case time.Duration:
		return plural(int(v/time.Second), "second") // as the setting is written
	case []string:
		return strings.Join(v, ", ")
	case []Rule:
		return plural(len(v), "rule")
	case map[string]Provider:
		return strings.Join(sortedNames(v), ", ")
	case map[string]Agent:
		return strings.Join(sortedNames(v), ", ")
	}
	return fmt.Sprint(v)
}

// PublicURL returns an address without what may be secret in it, the password and
// the query; what is no address with a host it returns as it is.
func PublicURL(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	if u.RawQuery != "" {
		u.RawQuery = "…"
	}
	return u.Redacted()
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// Reference returns the table of all settings in Markdown, for
// docs/configuration.md.
func Reference() string {
	var b strings.Builder
	b.WriteString("| key | type | flag | variable | default | in a workspace's file | meaning |\n")
	b.WriteString("|---|---|---|---|---|---|---|\n")
	for i := range keys {
		k := &keys[i]
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n", k.fileColumn(), k.typeColumn(), k.flagColumn(),
			code(k.Env()), k.Default, k.Workspace, k.Doc)
	}
	return b.String()
}

func (k *Key) fileColumn() string {
	if k.Outside {
		return "(not in files)"
	}
	return code(k.Name)
}

func (k *Key) typeColumn() string {
	if k.Kind != Choice {
		return string(k.Kind)
	}
	values := make([]string, len(k.Values))
	for i, v := range k.Values {
		values[i] = code(v)
	}
	return strings.Join(values, ", ")
}

func (k *Key) flagColumn() string {
	if k.Flag == "" {
		return ""
	}
	return code("--" + k.Flag + " " + k.Arg)
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}

// plain removes the Markdown of a doc line.
func plain(doc string) string { return strings.ReplaceAll(doc, "`", "") }
