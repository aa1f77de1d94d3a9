package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Names of the files (contract §8).
const (
	userFile      = "config.toml"
	workspaceFile = ".agent-ls.toml"
)

// Sources are where Load looks. The zero values of GOOS and ReadFile mean the
// system the program runs on.
type Sources struct {
	// Flags are the flags given, by name without dashes (FlagValues).
	Flags map[string]string
	// Environ is the environment as os.Environ gives it.
	Environ []string
	// Editor are the initializationOptions, a JSON object, or empty.
	Editor json.RawMessage
	// Workspaces are the roots whose .agent-ls.toml may narrow things; none
	// means the working folder.
	Workspaces []string
	// Cwd and Home are absolute folders.
	Cwd, Home string
	GOOS      string
	ReadFile  func(name string) ([]byte, error)
}

// SystemSources returns the sources of this process without flags and editor
// settings. Without a working folder that exists, or without an absolute home
// folder, the error says what to do.
func SystemSources() (Sources, error) {
	cwd, errCwd := os.Getwd()
	if errCwd != nil {
		errCwd = fmt.Errorf("the working folder cannot be found (%w): change to one that exists", errCwd)
	}
	home, errHome := os.UserHomeDir()
	return Sources{Environ: os.Environ(), Cwd: cwd, Home: home}, errors.Join(errCwd, checkHome(home, errHome))
}

// checkHome refuses a home folder that is not known, and a relative one: state
// would lie wherever the program is started.
func checkHome(home string, err error) error {
	switch {
	case err != nil:
		return fmt.Errorf("%w: set it to the absolute path of your home folder", err)
	case !filepath.IsAbs(home):
		return fmt.Errorf("the home folder %q is no absolute path: correct the variable HOME", home)
	}
	return nil
}

// loader builds one Config.
type loader struct {
	Sources
	env    environment
	config Config
	errs   []error
}

// Load reads all sources. The error holds every fault found, each with its
// place and the nearest valid name; the Config is complete apart from what was
// at fault, so that a caller may show it.
func Load(s Sources) (Config, error) {
	if s.GOOS == "" {
		s.GOOS = runtime.GOOS
	}
	if s.ReadFile == nil {
		s.ReadFile = os.ReadFile
	}
	l := &loader{Sources: s, env: newEnvironment(s.Environ, s.GOOS), config: defaults()}
	l.config.Cwd = s.Cwd
	l.config.File = filepath.Join(configDir(l.env, s.GOOS, s.Home), userFile)
	l.config.StateDir = stateDir(l.env, s.GOOS, s.Home)

	here := base{s.Cwd, s.Home}
	flags, err := flagLayer(s.Flags, here)
	l.fail(err)
	variables, err := envLayer(l.env, here)
	l.fail(err)
	l.findFile(variables, flags)
	l.apply(l.userLayer())
	l.apply(editorLayer(s.Editor, here))
	l.apply(variables, nil)
	l.apply(flags, nil)
	l.workspaces()
	return l.config, errors.Join(l.errs...)
}

func (l *loader) fail(err error) {
	if err != nil {
		l.errs = append(l.errs, err)
	}
}

// findFile takes the keys that say where the others stand.
func (l *loader) findFile(layers ...layer) {
	for _, layer := range layers {
		for _, e := range layer.entries {
			if e.key.Outside {
				l.take(layer, e)
			}
		}
	}
}

// userLayer reads the user's file, which must exist only when it was named.
func (l *loader) userLayer() (layer, error) {
	at := Origin{Source: SourceUserFile, Name: l.config.File}
	data, err := l.ReadFile(l.config.File)
	named := l.config.Origin("config")
	if errors.Is(err, fs.ErrNotExist) && named.Source == SourceDefault {
		return layer{}, nil
	}
	if err != nil {
		if named.Source == SourceDefault {
			named = at
		}
		return layer{}, &Error{named, "the configuration file cannot be read: " + err.Error()}
	}
	return tomlLayer(data, at, base{filepath.Dir(l.config.File), l.Home})
}

// apply puts a layer over what there is.
func (l *loader) apply(layer layer, err error) {
	l.fail(err)
	for _, e := range layer.entries {
		l.take(layer, e)
	}
}

// take sets one value. Rules of several sources add up.
func (l *loader) take(layer layer, e entry) {
	v, err := layer.value(e)
	if err != nil {
		l.failEntry(layer, e, err)
		return
	}
	if more, ok := v.([]Rule); ok {
		v = append(e.key.get(&l.config).([]Rule), more...)
	}
	e.key.set(&l.config, v)
	l.config.origins[e.key.Name] = e.origin
}

// value converts what an entry says.
func (y layer) value(e entry) (any, error) {
	if y.text {
		return e.key.fromText(e.value.(string), y.base)
	}
	v, err := e.key.from(e.value, y.base, e.origin)
	if list, ok := v.([]Rule); ok {
		for i := range list {
			if line := y.line(itemName(e.key.Name, i)); line > 0 {
				list[i].Origin.Line = line
			}
		}
	}
	return v, err
}
