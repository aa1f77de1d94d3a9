package config

import (
	"errors"
	"fmt"
	"sort"

	"github.com/spf13/pflag"

	"github.com/agent-ls/agent-ls/internal/nearest"
)

// AddFlags declares the common flags on fs, as texts: Load checks them.
func AddFlags(fs *pflag.FlagSet) {
	for _, k := range keys {
		if k.Flag != "" {
			fs.Var(&flagValue{arg: k.Arg}, k.Flag, flagUsage(k))
		}
	}
}

func flagUsage(k Key) string {
	usage := plain(k.Doc)
	for i, v := range k.Values {
		if i == 0 {
			usage += " One of "
		} else {
			usage += ", "
		}
		usage += v
	}
	return fmt.Sprintf("%s (%s)", usage, k.Env())
}

// flagValue is a text flag that shows its placeholder in the usage.
type flagValue struct{ text, arg string }

// String returns the text given.
func (f *flagValue) String() string { return f.text }

// Set keeps the text.
func (f *flagValue) Set(s string) error { f.text = s; return nil }

// Type returns the placeholder.
func (f *flagValue) Type() string { return f.arg }

// FlagValues returns the common flags that were given on the command line, for
// Sources.
func FlagValues(fs *pflag.FlagSet) map[string]string {
	values := map[string]string{}
	for _, k := range keys {
		if f := fs.Lookup(k.Flag); k.Flag != "" && f != nil && f.Changed {
			values[k.Flag] = f.Value.String()
		}
	}
	return values
}

// FlagError adds the nearest flag of fs to the error about an unknown one.
func FlagError(err error, fs *pflag.FlagSet) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	if letters := unknown.GetSpecifiedShortnames(); letters != "" {
		return fmt.Errorf("unknown flag -%s in -%s; long names have two dashes", unknown.GetSpecifiedName(), letters)
	}
	var names []string
	fs.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return fmt.Errorf("unknown flag --%s; did you mean --%s?", unknown.GetSpecifiedName(), nearest.Of(unknown.GetSpecifiedName(), names))
}

// flagLayer reads the flags that were given.
func flagLayer(values map[string]string, b base) (layer, error) {
	l := layer{base: b, text: true}
	var errs []error
	for _, name := range sortedNames(values) {
		at := Origin{Source: SourceFlag, Name: "--" + name}
		key := flagKey(name)
		if key == nil {
			errs = append(errs, &Error{at, "unknown flag"})
			continue
		}
		l.entries = append(l.entries, entry{key, values[name], at})
	}
	return l, errors.Join(errs...)
}

func flagKey(name string) *Key {
	for i := range keys {
		if keys[i].Flag == name && name != "" {
			return &keys[i]
		}
	}
	return nil
}

func sortedNames[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
