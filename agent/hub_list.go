package agent

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// List returns stored and open sessions, newest first, at most limit (0: all)
// after cursor, "" for the first page; cwd "" means all. Folders are compared
// by their real path, whatever links, trailing slashes or, on Windows, letter
// case they are spelled with; with a cwd, an entry's Cwd is spelled as asked
// (acp.md §4). next is "" on the last page. Elsewhere are sessions that others
// keep; those that are known here as well, by their twins, are listed once. It
// fails with ErrCursor, or when the state folder cannot be read.
func (h *Hub) List(cwd, cursor string, limit int, elsewhere ...SessionInfo) (page []SessionInfo, next string, err error) {
	after, err := parseCursor(cursor)
	if err != nil {
		return nil, "", err
	}
	infos, err := h.infos()
	if err != nil {
		return nil, "", err
	}
	infos = append(infos, apart(infos, elsewhere)...)
	if cwd != "" {
		infos = inFolder(infos, cwd)
	}
	slices.SortFunc(infos, newestFirst)
	if cursor != "" {
		infos = slices.DeleteFunc(infos, func(i SessionInfo) bool { return newestFirst(i, after) <= 0 })
	}
	if limit > 0 && len(infos) > limit {
		infos = infos[:limit]
		next = formatCursor(infos[limit-1])
	}
	return infos, next, nil
}

// infos returns the open sessions and the stored ones that are not open.
func (h *Hub) infos() ([]SessionInfo, error) {
	stored, err := h.store.list()
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	infos := slices.DeleteFunc(stored, func(i SessionInfo) bool { return h.open[i.ID] != nil })
	for _, s := range h.open {
		infos = append(infos, s.Info())
	}
	return infos, nil
}

// inFolder keeps the sessions of one folder.
func inFolder(infos []SessionInfo, cwd string) []SessionInfo {
	literal, real := folderKey(cwd), folderKey(realPath(cwd))
	var in []SessionInfo
	for _, i := range infos {
		if folderKey(i.realCwd) == real || folderKey(i.Cwd) == literal {
			i.Cwd = cwd
			in = append(in, i)
		}
	}
	return in
}

// realPath resolves the symlinks of path, or cleans it when it cannot.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

// folderKey is equal for two spellings of one folder, links apart.
func folderKey(path string) string {
	path = filepath.Clean(path)
	if runtime.GOOS == "windows" {
		path = strings.ToLower(strings.TrimPrefix(path, `\\?\`))
	}
	return path
}

func newestFirst(a, b SessionInfo) int {
	return cmp.Or(b.Updated.Compare(a.Updated), cmp.Compare(a.ID, b.ID))
}

// listCursor is where a page ended; front ends pass it on unread.
type listCursor struct {
	Updated time.Time `json:"u"`
	ID      string    `json:"i"`
}

func formatCursor(i SessionInfo) string {
	// Two fields that marshal always.
	b, _ := json.Marshal(listCursor{Updated: i.Updated, ID: i.ID})
	return base64.RawURLEncoding.EncodeToString(b)
}

// ErrCursor says that a cursor of List is none of its own.
var ErrCursor = errors.New("invalid cursor")

func parseCursor(cursor string) (SessionInfo, error) {
	if cursor == "" {
		return SessionInfo{}, nil
	}
	var c listCursor
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		err = json.Unmarshal(b, &c)
	}
	if err != nil {
		return SessionInfo{}, fmt.Errorf("%w %q: pass on the one of the last page unchanged", ErrCursor, cursor)
	}
	return SessionInfo{ID: c.ID, Updated: c.Updated}, nil
}

// Delete closes the session if it is open here and removes what is kept of it;
// an unknown id is no error, one that another process has open is a
// *LockedError.
func (h *Hub) Delete(id string) error {
	if !validID(id) {
		return nil
	}
	info := SessionInfo{ID: id}
	if s, ok := h.Get(id); ok {
		info = s.Info()
		s.Close()
	} else if stored, ok := h.store.info(id); ok {
		info = stored
	}
	if err := h.store.Delete(id); err != nil {
		return err
	}
	if h.c.Forget != nil {
		return h.c.Forget(info)
	}
	return nil
}
