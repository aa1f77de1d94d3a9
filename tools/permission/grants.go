package permission

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/agent-ls/agent-ls/internal/filelock"
)

// lockPatience is how long the lock of another process is waited for, which is
// held for one small read and write.
const lockPatience = 5 * time.Second

// grantsVersion is the format of the file; a newer one is left alone.
const grantsVersion = 1

// Grants are the remembered decisions, a file a user, keyed by workspace. The
// file is mode 0600, changed under a lock that holds between processes, and
// replaced as a whole. Safe for concurrent use.
type Grants struct {
	// Now gives the time that a grant is stamped with; nil means the clock.
	Now func() time.Time

	path string
	mu   sync.Mutex
	mem  []Grant // when path is empty
}

// Grant is one remembered decision.
type Grant struct {
	// ID is short and the same for the same decision in the same workspace.
	ID string `json:"id"`
	// Workspace is the real path of the folder that the decision holds in.
	Workspace string `json:"workspace"`
	Rule
	Created string `json:"created"` // RFC 3339
}

// grantsFile is the file as stored. What Grants holds depends on Version.
type grantsFile struct {
	Version int             `json:"version"`
	Grants  json.RawMessage `json:"grants"`
}

// OpenGrants returns the grants stored at path ("" keeps them in memory).
// Nothing is read or made before the first use.
func OpenGrants(path string) *Grants { return &Grants{path: path} }

// Add remembers rules for a workspace; a rule about the same thing with the
// other effect is replaced. An error says that the decision holds just once,
// and why; a *DamagedError says that it is remembered, but earlier ones are
// not.
func (g *Grants) Add(workspace string, rules []Rule) error {
	key := workspaceKey(workspace)
	err := g.change(func(list []Grant) []Grant {
		for _, r := range rules {
			list = g.with(list, key, r)
		}
		return list
	})
	var damaged *DamagedError
	if err != nil && !errors.As(err, &damaged) {
		return fmt.Errorf("the decision could not be remembered, so it is %s once only: %w", done(rules), err)
	}
	return err
}

// done is what a decision with these rules does to the call at hand.
func done(rules []Rule) string {
	if len(rules) > 0 && rules[0].Effect == EffectDeny {
		return "rejected"
	}
	return "allowed"
}

func (g *Grants) with(list []Grant, workspace string, r Rule) []Grant {
	kept := list[:0:0]
	for _, have := range list {
		if have.Workspace != workspace || !have.same(r) {
			kept = append(kept, have)
		}
	}
	now := time.Now
	if g.Now != nil {
		now = g.Now
	}
	grant := Grant{Workspace: workspace, Rule: r, Created: now().UTC().Format(time.RFC3339)}
	grant.ID = grantID(kept, grant)
	return append(kept, grant)
}

// grantID derives the id from what the grant is about, longer where a shorter
// one is taken.
func grantID(list []Grant, grant Grant) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{
		grant.Workspace, string(grant.Kind), grant.Pattern, fmt.Sprint(grant.Exact), grant.Dir,
	}, "\x00")))
	whole := hex.EncodeToString(sum[:])
	for n := 8; n < len(whole); n += 4 {
		if !hasID(list, whole[:n]) {
			return whole[:n]
		}
	}
	return whole
}

func hasID(list []Grant, id string) bool {
	for _, g := range list {
		if g.ID == id {
			return true
		}
	}
	return false
}

// For returns the rules of a workspace.
func (g *Grants) For(workspace string) ([]Rule, error) {
	list, err := g.List()
	key := workspaceKey(workspace)
	var rules []Rule
	for _, grant := range list {
		if grant.Workspace == key {
			rules = append(rules, grant.Rule)
		}
	}
	return rules, err
}

// List returns all grants, in the order they were made.
func (g *Grants) List() ([]Grant, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.path == "" {
		return append([]Grant(nil), g.mem...), nil
	}
	if _, err := os.Stat(g.path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	unlock, err := filelock.Lock(g.lockPath(), lockPatience)
	if err == nil {
		defer unlock()
	}
	return g.load()
}

// Revoke removes the grant with this id, or all with "", and returns how many
// there were. After a *DamagedError there are none.
func (g *Grants) Revoke(id string) (int, error) {
	removed := 0
	err := g.change(func(list []Grant) []Grant {
		kept := list[:0:0]
		for _, grant := range list {
			if id == "" || grant.ID == id {
				removed++
				continue
			}
			kept = append(kept, grant)
		}
		return kept
	})
	if err != nil {
		return 0, fmt.Errorf("nothing was revoked: %w", err)
	}
	return removed, nil
}

// change replaces the list under the lock. A damaged file is kept under
// another name and a new one begun, which is told as a *DamagedError.
func (g *Grants) change(edit func([]Grant) []Grant) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.path == "" {
		g.mem = edit(g.mem)
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(g.path), 0o700); err != nil {
		return err
	}
	unlock, err := filelock.Lock(g.lockPath(), lockPatience)
	if err != nil {
		return err
	}
	defer unlock()
	list, err := g.load()
	var damaged *DamagedError
	if errors.As(err, &damaged) {
		err = g.setAside(damaged)
	}
	if err != nil {
		return err
	}
	if err := g.store(edit(list)); err != nil || damaged == nil {
		return err
	}
	return damaged
}

func (g *Grants) lockPath() string { return g.path + ".lock" }

// DamagedError says that the file of remembered decisions cannot be
// understood. Until the next decision is remembered it stays where it is, and
// what was rejected for ever is not known.
type DamagedError struct {
	Path string
	// Aside is where the file was moved, "" as long as it is in its place.
	Aside string
	Err   error
}

// Error says where the file is and what to do.
func (e *DamagedError) Error() string {
	if e.Aside != "" {
		return fmt.Sprintf("the earlier decisions in %s were damaged (%v); they were kept as %s and a new file was begun", e.Path, e.Err, e.Aside)
	}
	return fmt.Sprintf("the remembered decisions in %s are damaged (%v); repair or remove the file", e.Path, e.Err)
}

// Unwrap returns what is wrong with the file.
func (e *DamagedError) Unwrap() error { return e.Err }

// load reads the file.
func (g *Grants) load() ([]Grant, error) {
	data, err := os.ReadFile(g.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the remembered decisions cannot be read: %w", err)
	}
	var file grantsFile
	err = json.Unmarshal(data, &file)
	if err == nil && file.Version < 1 {
		err = errors.New("it has no version")
	}
	if err == nil && file.Version > grantsVersion {
		return nil, fmt.Errorf("the remembered decisions in %s have the newer format %d; use the agent-ls that wrote them", g.path, file.Version)
	}
	var list []Grant
	if err == nil {
		err = json.Unmarshal(file.Grants, &list)
	}
	if err != nil {
		return nil, &DamagedError{Path: g.path, Err: err}
	}
	return list, nil
}

// setAside moves a damaged file to a free name.
func (g *Grants) setAside(e *DamagedError) error {
	for n := 1; ; n++ {
		aside := fmt.Sprintf("%s.damaged-%d", g.path, n)
		if _, err := os.Lstat(aside); err == nil {
			continue
		}
		if err := os.Rename(g.path, aside); err != nil {
			return fmt.Errorf("%s is damaged and cannot be moved aside: %w", g.path, err)
		}
		e.Aside = aside
		return nil
	}
}

// store writes the file beside its place and moves it there.
func (g *Grants) store(list []Grant) (err error) {
	grants, err := json.Marshal(list)
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(grantsFile{grantsVersion, grants}, "", "  ")
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(g.path), filepath.Base(g.path)+".new-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(tmp.Name()))
		}
	}()
	_, err = tmp.Write(append(data, '\n'))
	if err == nil {
		err = tmp.Sync()
	}
	if err = errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), g.path)
}

// workspaceKey is the real path of a folder, as far as it can be resolved.
func workspaceKey(folder string) string {
	if folder == "" {
		return ""
	}
	abs, err := filepath.Abs(folder)
	if err != nil {
		return folder
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		return real
	}
	return abs
}
