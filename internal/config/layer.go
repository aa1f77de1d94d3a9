package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/agent-ls/agent-ls/internal/nearest"
)

// entry is one key of a source, as written.
type entry struct {
	key    *Key
	value  any
	origin Origin
}

// layer is what one source says.
type layer struct {
	entries []entry
	base    base
	// text says that values are texts, of flags or variables.
	text bool
	// line gives the line of a name as keyLines spells it, 0 for unknown; nil where
	// there are no lines.
	line func(name string) int
}

// tomlLayer reads a configuration file. Every fault is reported, not just the
// first.
func tomlLayer(data []byte, at Origin, b base) (layer, error) {
	var tree map[string]any
	if err := toml.Unmarshal(data, &tree); err != nil {
		var parse toml.ParseError
		if errors.As(err, &parse) {
			at.Line = parse.Position.Line
			return layer{}, &Error{at, parse.Message + remedy(parse.Message)}
		}
		return layer{}, &Error{at, err.Error()}
	}
	lines := keyLines(string(data))
	place := func(name string) Origin {
		o := at
		o.Line = lines[name]
		return o
	}
	entries, err := settings(tree, place)
	return layer{entries: entries, base: b, line: func(name string) int { return lines[name] }}, err
}

// remedy says what to do about the usual slips, which the parser only describes.
func remedy(message string) string {
	switch {
	case strings.HasPrefix(message, "expected value but found"):
		return `; a text stands in quotes, such as mode = "ask"`
	case strings.HasPrefix(message, "strings cannot contain newlines"):
		return "; the closing quote is missing"
	}
	return ""
}

// editorLayer reads initializationOptions.
func editorLayer(data json.RawMessage, b base) (layer, error) {
	at := Origin{Source: SourceEditor}
	if len(data) == 0 || string(data) == "null" {
		return layer{}, nil
	}
	var tree map[string]any
	if err := json.Unmarshal(data, &tree); err != nil {
		return layer{}, &Error{at, "must be an object of settings: " + err.Error()}
	}
	entries, err := settings(tree, func(string) Origin { return at })
	return layer{entries: entries, base: b, line: func(string) int { return 0 }}, err
}

// settings finds the declared keys in a tree of tables. place tells where a
// name, as written, stands.
func settings(tree map[string]any, place func(string) Origin) ([]entry, error) {
	entries, err := flatten(tree, "", place)
	errs := []error{err}
	seen := map[*Key]bool{}
	for _, e := range entries {
		if seen[e.key] {
			errs = append(errs, &Error{e.origin, fmt.Sprintf("the key %q is given twice, in two spellings", e.key.Name)})
		}
		seen[e.key] = true
	}
	return entries, errors.Join(errs...)
}

// flatten finds the declared keys in a tree of tables, in the order of their
// names. Dotted names count as nested ones.
func flatten(tree map[string]any, prefix string, place func(string) Origin) ([]entry, error) {
	names := make([]string, 0, len(tree))
	for name := range tree {
		names = append(names, name)
	}
	sort.Strings(names)
	var entries []entry
	var errs []error
	for _, name := range names {
		full, value := prefix+name, tree[name]
		key, known := lookup(full)
		table, isMap := value.(map[string]any)
		switch {
		case known && key.Outside:
			errs = append(errs, &Error{place(full), fmt.Sprintf("the key %q is only for the command line (--%s) and the environment (%s)", full, key.Flag, key.Env())})
		case known:
			entries = append(entries, entry{key, value, place(full)})
		case isMap && isTable(full):
			below, err := flatten(table, full+".", place)
			entries, errs = append(entries, below...), append(errs, err)
		case isTable(full):
			errs = append(errs, &Error{place(full), fmt.Sprintf("%q is a table of settings, not %s", full, typeName(value))})
		default:
			errs = append(errs, &Error{place(full), fmt.Sprintf("unknown key %q; did you mean %q?", full, nearest.Of(snake(full), fileKeys()))})
		}
	}
	return entries, errors.Join(errs...)
}

func fileKeys() []string {
	var names []string
	for _, k := range keys {
		if !k.Outside {
			names = append(names, k.Name)
		}
	}
	return names
}

// keyLines finds the 1-based lines on which the keys, tables and items of
// lists of tables of a TOML file stand. It is for messages only, the values
// come from the real parser.
func keyLines(data string) map[string]int {
	lines, counts := map[string]int{}, map[string]int{}
	table, quoted := "", ""
	for i, line := range strings.Split(data, "\n") {
		trimmed := strings.TrimSpace(line)
		if quoted != "" || strings.HasPrefix(trimmed, "#") {
			quoted = openQuote(line, quoted)
			continue
		}
		quoted = openQuote(line, "")
		switch {
		case strings.HasPrefix(trimmed, "[["):
			name := bareKey(trimmed[2:], "]")
			table = itemName(name, counts[name])
			counts[name]++
			note(lines, name, i+1)
			note(lines, table, i+1)
		case strings.HasPrefix(trimmed, "["):
			table = bareKey(trimmed[1:], "]")
			note(lines, table, i+1)
		case strings.Contains(trimmed, "="):
			name := bareKey(trimmed, "=")
			if table != "" {
				name = table + "." + name
			}
			note(lines, name, i+1)
		}
	}
	return lines
}

// note keeps the first line of a name and of every table around it.
func note(lines map[string]int, name string, line int) {
	for {
		if _, ok := lines[name]; !ok {
			lines[name] = line
		}
		i := strings.LastIndexByte(name, '.')
		if i < 0 {
			return
		}
		name = name[:i]
	}
}

func itemName(name string, index int) string { return fmt.Sprintf("%s[%d]", name, index) }

// bareKey is the dotted key before end, without quotes and spaces.
func bareKey(s, end string) string {
	s, _, _ = strings.Cut(s, end)
	return strings.NewReplacer(" ", "", "\t", "", `"`, "", "'", "").Replace(s)
}

// openQuote returns the multi-line quote that is open after a line, given the
// one that was open before.
func openQuote(line, open string) string {
	for {
		if open == "" {
			d, s := strings.Index(line, `"""`), strings.Index(line, "'''")
			switch {
			case d < 0 && s < 0:
				return ""
			case s < 0 || d >= 0 && d < s:
				open, line = `"""`, line[d+3:]
			default:
				open, line = "'''", line[s+3:]
			}
		}
		i := strings.Index(line, open)
		if i < 0 {
			return open
		}
		open, line = "", line[i+3:]
	}
}
