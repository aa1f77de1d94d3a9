package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agent-ls/agent-ls/internal/nearest"
)

// environment looks variables up as the system does: on Windows the case of a
// name does not count.
type environment struct {
	vars map[string]string
	fold bool
}

func newEnvironment(list []string, goos string) environment {
	e := environment{map[string]string{}, goos == "windows"}
	for _, item := range list {
		if name, value, ok := strings.Cut(item, "="); ok && name != "" {
			e.vars[e.key(name)] = value
		}
	}
	return e
}

func (e environment) key(name string) string {
	if e.fold {
		return strings.ToUpper(name)
	}
	return name
}

func (e environment) get(name string) string { return e.vars[e.key(name)] }

// completionVariable is what the completion scripts of some shells set for the
// program (cobra's active help). It is no setting, and no fault.
const completionVariable = envPrefix + "ACTIVE_HELP"

// envLayer reads the program's variables. An empty one counts as not set; one
// with our prefix that means nothing is an error.
func envLayer(env environment, b base) (layer, error) {
	l := layer{base: b, text: true}
	var errs []error
	known := map[string]bool{completionVariable: true}
	var names []string
	for i := range keys {
		name := keys[i].Env()
		if name == "" {
			continue
		}
		known[name] = true
		names = append(names, name)
		if value := env.get(name); value != "" {
			l.entries = append(l.entries, entry{&keys[i], value, Origin{Source: SourceEnvironment, Name: name}})
		}
	}
	for _, name := range sortedNames(env.vars) {
		if strings.HasPrefix(name, envPrefix) && !known[name] {
			errs = append(errs, &Error{Origin{Source: SourceEnvironment, Name: name},
				fmt.Sprintf("unknown variable; did you mean %s?", nearest.Of(name, names))})
		}
	}
	return l, errors.Join(errs...)
}
