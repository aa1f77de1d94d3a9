package config

import (
	"errors"
	"fmt"
	"strings"
)

// ownPrefixes are what names of models begin with that are no provider's table
// (contract §2).
var ownPrefixes = []string{"direct", "script", "acp", "openai", "anthropic", "ollama"}

// Choices of a provider's table.
var (
	providerKinds = Key{Kind: Choice, Values: []string{"openai", "anthropic"}}
	providerAPIs  = Key{Kind: Choice, Values: []string{"auto", "responses", "chat"}}
)

// providers reads the tables [provider.NAME].
func providers(v any, b base) (any, error) {
	table, ok := v.(map[string]any)
	if !ok {
		return nil, wrongType("tables of providers by name", v)
	}
	out := make(map[string]Provider, len(table))
	var errs []error
	for _, name := range sortedNames(table) {
		if indexOf(ownPrefixes, name) >= 0 || strings.Contains(name, ":") {
			errs = append(errs, within("."+name, fmt.Sprintf("provider %q", name), errors.New("the name has a meaning already; choose another one")))
			continue
		}
		p, err := provider(table[name], b)
		errs = append(errs, within("."+name, fmt.Sprintf("provider %q", name), err))
		out[name] = p
	}
	return out, errors.Join(errs...)
}

// provider reads one table.
func provider(v any, b base) (Provider, error) {
	table, err := members(v, "kind", "base_url", "api_key", "api_key_cmd", "api_key_file", "api_key_env",
		"api", "headers", "models", "context_size", "max_output")
	if err != nil {
		return Provider{}, err
	}
	p := Provider{Kind: "openai", API: "chat"}
	var errs []error
	for name, field := range map[string]*string{
		"kind": &p.Kind, "base_url": &p.BaseURL, "api_key": &p.APIKey, "api_key_file": &p.APIKeyFile, "api_key_env": &p.APIKeyEnv, "api": &p.API,
	} {
		if _, ok := table[name]; ok {
			*field, err = member[string](table, name)
			errs = append(errs, err)
		}
	}
	for name, field := range map[string]*[]string{"api_key_cmd": &p.APIKeyCmd, "models": &p.Models} {
		if list, ok := table[name]; ok {
			*field, err = texts(list)
			errs = append(errs, named(name, err))
		}
	}
	for name, field := range map[string]*int{"context_size": &p.ContextSize, "max_output": &p.MaxOutput} {
		*field, err = countMember(table, name)
		errs = append(errs, named(name, err))
	}
	p.Headers, err = textTable(table, "headers")
	_, errKind := providerKinds.text(p.Kind, base{})
	_, errAPI := providerAPIs.text(p.API, base{})
	errs = append(errs, err, named("kind", errKind), named("api", errAPI))
	if p.BaseURL == "" {
		errs = append(errs, errors.New("base_url is missing"))
	}
	p.APIKeyFile = b.path(p.APIKeyFile)
	return p, errors.Join(errs...)
}

// countMember reads an optional member that is a count.
func countMember(table map[string]any, name string) (int, error) {
	v, ok := table[name]
	if !ok {
		return 0, nil
	}
	n, err := (&Key{Kind: Count}).from(v, base{}, Origin{})
	if err != nil {
		return 0, err
	}
	return n.(int), nil
}
