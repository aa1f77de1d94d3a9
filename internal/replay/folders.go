package replay

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agent-ls/agent-ls/acp"
)

// Limits of what is copied of one folder.
const (
	maxFiles = 50_000
	maxBytes = 1 << 30
)

// folder is one folder of a log and what it is played in.
type folder struct{ recorded, played string }

// folders finds the folders of the sessions in a log, outer ones first.
func (l *Log) folders() []string {
	var dirs []string
	for _, entries := range l.connections {
		for _, e := range entries {
			var p struct {
				Cwd                   string   `json:"cwd"`
				AdditionalDirectories []string `json:"additionalDirectories"`
			}
			opens := e.Method == acp.MethodSessionNew || e.Method == acp.MethodSessionLoad || e.Method == acp.MethodSessionResume
			if !e.sent() || !opens || json.Unmarshal(e.Params, &p) != nil {
				continue
			}
			dirs = append(dirs, append(p.AdditionalDirectories, p.Cwd)...)
		}
	}
	for i := range dirs {
		dirs[i] = filepath.Clean(dirs[i])
	}
	dirs = slices.DeleteFunc(dirs, func(d string) bool { return !filepath.IsAbs(d) || filepath.Dir(d) == d })
	slices.SortFunc(dirs, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	return slices.Compact(dirs)
}

// prepare makes the folders to play in below scratch: copies of those of the
// log, empty ones where there is none any more. A folder inside another one is
// played inside its copy. notes say what is not as it was.
func (l *Log) prepare(scratch string) (list []folder, notes []string, err error) {
	for _, dir := range l.folders() {
		if slices.ContainsFunc(list, func(f folder) bool { return inside(f.recorded, dir) }) {
			continue
		}
		f := folder{dir, filepath.Join(scratch, fmt.Sprintf("folder-%d", len(list)+1))}
		err := copyFolder(f.played, dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			notes = append(notes, fmt.Sprintf("%s is not there; it is played in an empty folder", dir))
			err = os.Mkdir(f.played, 0o755)
		case err == nil:
			notes = append(notes, fmt.Sprintf("%s is played in a copy, as it is now", dir))
		}
		if err != nil {
			return nil, nil, fmt.Errorf("copy the folder of the log: %w", err)
		}
		list = append(list, f)
	}
	return list, notes, nil
}

func inside(root, path string) bool {
	return path == root || strings.HasPrefix(path, root+string(filepath.Separator))
}

// copyFolder copies a folder that is not too large. What is neither a file, a
// folder nor a link, such as a socket, is left out.
func copyFolder(to, from string) error {
	files, size := 0, int64(0)
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		files++
		if info, err := d.Info(); err == nil && d.Type().IsRegular() {
			size += info.Size()
		}
		if files > maxFiles || size > maxBytes {
			return fmt.Errorf("%s has more than %d files or %d MiB", from, maxFiles, maxBytes>>20)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return os.CopyFS(to, plain{os.DirFS(from).(fs.ReadLinkFS)})
}

// plain is a file system without what cannot be copied.
type plain struct{ fs.ReadLinkFS }

// ReadDir lists a folder.
func (p plain) ReadDir(name string) ([]fs.DirEntry, error) {
	list, err := fs.ReadDir(p.ReadLinkFS, name)
	const copied = fs.ModeDir | fs.ModeSymlink
	return slices.DeleteFunc(list, func(d fs.DirEntry) bool { return d.Type()&^copied != 0 }), err
}

// renaming replaces paths in texts.
type renaming struct{ from, to string }

// replacer returns a function that puts the played folders in the place of the
// recorded ones, in any text of JSON.
func replacer(list []folder) func(json.RawMessage) json.RawMessage {
	var renamings []renaming
	for _, f := range list {
		renamings = append(renamings, renaming{quoted(f.recorded), quoted(f.played)})
	}
	return func(raw json.RawMessage) json.RawMessage { return json.RawMessage(rename(string(raw), renamings)) }
}

// rename replaces paths where they stand as whole names.
func rename(s string, list []renaming) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		at := slices.IndexFunc(list, func(r renaming) bool {
			return strings.HasPrefix(s[i:], r.from) && (i == 0 || !inName(s[i-1])) && endsName(s[i+len(r.from):])
		})
		if at < 0 {
			b.WriteByte(s[i])
			i++
			continue
		}
		b.WriteString(list[at].to)
		i += len(list[at].from)
	}
	return b.String()
}

// inName says whether c belongs to a file's name, as far as can be told.
func inName(c byte) bool {
	return c >= utf8.RuneSelf || c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// endsName says whether a file's name is over before rest. A dot that nothing
// of a name follows ends a sentence.
func endsName(rest string) bool {
	rest = strings.TrimLeft(rest, ".")
	return rest == "" || !inName(rest[0])
}

// quoted is a text as it stands inside a JSON string.
func quoted(text string) string {
	raw, err := acp.Encode(text)
	if err != nil {
		return text
	}
	return string(raw[1 : len(raw)-1])
}
