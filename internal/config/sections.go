package config

import (
	"errors"
	"fmt"
	"sort"
	"strings"
)

// ruleKinds are the kinds of a configured rule.
var ruleKinds = Key{Kind: Choice, Values: []string{"read", "edit", "execute", "fetch", "tool"}}

// rules reads [[permission.allow]] or [[permission.deny]].
func rules(v any, at Origin) (any, error) {
	items, err := tables(v)
	if err != nil {
		return nil, err
	}
	out := make([]Rule, 0, len(items))
	var errs []error
	for i, item := range items {
		r, err := rule(item)
		errs = append(errs, within(itemName("", i), fmt.Sprintf("rule %d", i+1), err))
		r.Origin = at
		out = append(out, r)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return out, nil
}

// tables accepts the two ways in which decoders spell a list of tables.
func tables(v any) ([]any, error) {
	switch list := v.(type) {
	case []any:
		return list, nil
	case []map[string]any:
		out := make([]any, len(list))
		for i, item := range list {
			out[i] = item
		}
		return out, nil
	}
	err := wrongType("a list of tables", v)
	if _, ok := v.(map[string]any); ok {
		err = fmt.Errorf("%w; write two brackets on each side, such as [[permission.allow]]", err)
	}
	return nil, err
}

func rule(v any) (Rule, error) {
	table, err := members(v, "kind", "pattern", "exact")
	if err != nil {
		return Rule{}, err
	}
	var r Rule
	var errKind, errPattern, errExact error
	r.Kind, errKind = member[string](table, "kind")
	r.Pattern, errPattern = member[string](table, "pattern")
	r.Exact, errExact = member[bool](table, "exact")
	if err := errors.Join(errKind, errPattern, errExact); err != nil {
		return r, err
	}
	if r.Kind == "" {
		return r, fmt.Errorf("kind is missing; it is one of %s", strings.Join(ruleKinds.Values, ", "))
	}
	if _, err := ruleKinds.text(r.Kind, base{}); err != nil {
		return r, named("kind", err)
	}
	if r.Pattern == "" {
		return r, errors.New("pattern is missing")
	}
	if r.Exact && r.Kind != "execute" {
		return r, errors.New("exact is only for the kind execute")
	}
	return r, nil
}

// agents reads the tables [acp.NAME].
func agents(v any) (any, error) {
	table, ok := v.(map[string]any)
	if !ok {
		return nil, wrongType("tables of agents by name", v)
	}
	names := make([]string, 0, len(table))
	for name := range table {
		names = append(names, name)
	}
	sort.Strings(names)
	out := make(map[string]Agent, len(table))
	var errs []error
	for _, name := range names {
		a, err := agent(table[name])
		errs = append(errs, within("."+name, fmt.Sprintf("agent %q", name), err))
		out[name] = a
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return out, nil
}

func agent(v any) (Agent, error) {
	table, err := members(v, "command", "args", "env", "auth", "options")
	if err != nil {
		return Agent{}, err
	}
	var a Agent
	if a.Command, err = member[string](table, "command"); err != nil {
		return a, err
	}
	if a.Command == "" {
		return a, errors.New("command is missing")
	}
	if list, ok := table["args"]; ok {
		if a.Args, err = texts(list); err != nil {
			return a, named("args", err)
		}
	}
	var errEnv, errAuth, errOptions error
	a.Env, errEnv = textTable(table, "env")
	a.Auth, errAuth = member[string](table, "auth")
	a.Options, errOptions = textTable(table, "options")
	return a, errors.Join(errEnv, errAuth, errOptions)
}

// textTable reads a member that is a table of texts.
func textTable(table map[string]any, name string) (map[string]string, error) {
	values, err := member[map[string]any](table, name)
	if err != nil || len(values) == 0 {
		return nil, err
	}
	out := make(map[string]string, len(values))
	for key, value := range values {
		s, ok := value.(string)
		if !ok {
			return nil, named(name+"."+key, wrongType("a text", value))
		}
		out[key] = s
	}
	return out, nil
}
