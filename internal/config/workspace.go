package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// workspaces reads the untrusted files of the workspace. They come last,
// since narrowing is judged against what the user has said.
func (l *loader) workspaces() {
	roots := l.Workspaces
	if len(roots) == 0 {
		roots = []string{l.config.Cwd}
	}
	for _, root := range roots {
		at := Origin{Source: SourceWorkspace, Name: filepath.Join(root, workspaceFile)}
		data, err := l.ReadFile(at.Name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			l.fail(&Error{at, "cannot be read: " + err.Error()})
			continue
		}
		layer, err := tomlLayer(data, at, base{root, l.Home})
		l.fail(err)
		for _, e := range layer.entries {
			l.narrow(layer, e)
		}
	}
}

// narrow takes one value of a workspace's file, as far as it may.
func (l *loader) narrow(layer layer, e entry) {
	switch e.key.Workspace {
	case Forbidden:
		l.fail(&Error{e.origin, fmt.Sprintf("the key %q cannot be set by a file in a workspace; set it in %s", e.key.Name, l.config.File)})
	case Displays:
		if l.config.Origin(e.key.Name).Source == SourceDefault {
			l.take(layer, e)
		}
	case Narrows:
		v, err := layer.value(e)
		if err == nil && e.key.narrower != nil && !e.key.narrower(e.key.get(&l.config), v) {
			l.warnWider(e, v)
			return
		}
		l.take(layer, e)
	}
}

// warnWider says that a value had no effect, unless it changes nothing anyway.
func (l *loader) warnWider(e entry, offered any) {
	if have := e.key.get(&l.config); have != offered {
		l.config.Warnings = append(l.config.Warnings, fmt.Sprintf(
			"%s: %s = %v has no effect: a file in a workspace can only make it narrower than %v (%s)",
			e.origin, e.key.Name, offered, have, l.config.Origin(e.key.Name)))
	}
}
