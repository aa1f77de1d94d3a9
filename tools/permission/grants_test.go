package permission

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-ls/agent-ls/tools"
)

func grantsAt(t *testing.T) (*Grants, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state", "grants.json")
	g := OpenGrants(path)
	g.Now = func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	return g, path
}

func TestGrantsSurvive(t *testing.T) {
	g, path := grantsAt(t)
	work, other := t.TempDir(), t.TempDir()
	if rules, err := g.For(work); rules != nil || err != nil {
		t.Fatalf("before the first: %v, %v", rules, err)
	}
	rules := []Rule{allow(tools.AccessExecute, "git status"), deny(tools.AccessEdit, "/x"),
		{Effect: EffectAllow, Kind: tools.AccessExecute, Pattern: "a && b", Exact: true, Dir: "/y"}}
	if err := g.Add(work, rules); err != nil {
		t.Fatal(err)
	}
	if err := g.Add(other, rules[:1]); err != nil {
		t.Fatal(err)
	}
	again := OpenGrants(path)
	got, err := again.For(work)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(rules) {
		t.Errorf("rules %v, %v", got, err)
	}
	list, err := again.List()
	if err != nil || len(list) != 4 || list[0].Created != "2026-01-02T03:04:05Z" || len(list[0].ID) != 8 {
		t.Fatalf("list %+v, %v", list, err)
	}
	if list[0].ID == list[3].ID {
		t.Error("two workspaces share an id")
	}
	if runtime.GOOS != "windows" {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
		if info, err = os.Stat(filepath.Dir(path)); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("mode of the folder %v, %v", info.Mode(), err)
		}
	}
	if n, err := again.Revoke(list[1].ID); n != 1 || err != nil {
		t.Errorf("revoked %d, %v", n, err)
	}
	if n, err := again.Revoke("nonesuch"); n != 0 || err != nil {
		t.Errorf("revoked %d, %v", n, err)
	}
	if got, _ := g.For(work); len(got) != 2 {
		t.Errorf("after revoking: %v", got)
	}
	if n, err := g.Revoke(""); n != 3 || err != nil {
		t.Errorf("revoked %d of all, %v", n, err)
	}
	leftovers, err := filepath.Glob(path + ".new-*")
	if err != nil || leftovers != nil {
		t.Errorf("left over: %v, %v", leftovers, err)
	}
}

func TestGrantsAreKeyedByTheRealFolder(t *testing.T) {
	g, _ := grantsAt(t)
	work := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(work, link); err != nil {
		t.Skip(err)
	}
	if err := g.Add(link, []Rule{allow("", "x")}); err != nil {
		t.Fatal(err)
	}
	if rules, err := g.For(work); len(rules) != 1 || err != nil {
		t.Errorf("%v, %v", rules, err)
	}
}

func TestLaterDecisionReplaces(t *testing.T) {
	for _, g := range []*Grants{OpenGrants(""), func() *Grants { g, _ := grantsAt(t); return g }()} {
		steps := [][]Rule{{allow("", "x")}, {allow("", "x")}, {deny("", "x")}}
		var id string
		for _, rules := range steps {
			if err := g.Add("/w", rules); err != nil {
				t.Fatal(err)
			}
			list, err := g.List()
			if err != nil || len(list) != 1 || list[0].Rule != rules[0] {
				t.Fatalf("list %+v, %v", list, err)
			}
			if id == "" {
				id = list[0].ID
			}
			if list[0].ID != id {
				t.Errorf("the id changed from %s to %s", id, list[0].ID)
			}
		}
	}
}

func TestIDsStayApart(t *testing.T) {
	grant := Grant{Workspace: "/w", Rule: allow("", "x")}
	short := grantID(nil, grant)
	long := grantID([]Grant{{ID: short}}, grant)
	if len(short) != 8 || len(long) != 12 || !strings.HasPrefix(long, short) {
		t.Errorf("%q, then %q", short, long)
	}
}

// A damaged file is an error until the next decision, which keeps it under
// another name.
func TestDamagedFileIsKept(t *testing.T) {
	for name, content := range map[string]string{"no JSON": "{\"version\":1,", "empty": "", "no version": "{}", "other JSON": "[1]", "odd grants": `{"version":1,"grants":3}`} {
		g, path := grantsAt(t)
		for round := 1; round <= 2; round++ {
			damage(t, path, content)
			for range 2 {
				if _, err := g.For("/w"); err == nil || !strings.Contains(err.Error(), path+" are damaged") {
					t.Errorf("%s: error %v", name, err)
				}
			}
			aside := fmt.Sprintf("%s.damaged-%d", path, round)
			var damaged *DamagedError
			if err := g.Add("/w", []Rule{allow("", "x")}); !errors.As(err, &damaged) || damaged.Aside != aside || !strings.Contains(err.Error(), aside) {
				t.Errorf("%s: remembering: %v", name, err)
			}
			if kept, err := os.ReadFile(aside); err != nil || string(kept) != content {
				t.Errorf("%s: kept %q, %v", name, kept, err)
			}
			if rules, err := g.For("/w"); len(rules) != 1 || err != nil {
				t.Errorf("%s: after it: %v, %v", name, rules, err)
			}
		}
		damage(t, path, content)
		if n, err := g.Revoke(""); n != 0 || err == nil || !strings.Contains(err.Error(), "nothing was revoked") {
			t.Errorf("%s: revoked %d, %v", name, n, err)
		}
		if list, err := g.List(); list != nil || err != nil {
			t.Errorf("%s: after revoking: %v, %v", name, list, err)
		}
	}
}

// damage writes content in the place of the grants.
func damage(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// While the remembered rejections are unknown nothing but reading runs unasked.
func TestDamagedFileAsks(t *testing.T) {
	r := newRoom(t, FullAccess)
	var path string
	r.Grants, path = grantsAt(t)
	damage(t, path, "damaged")
	for _, access := range []tools.Access{edit("a"), run("ls"), fetch("http://h/")} {
		for range 2 {
			if got := r.decide(access); got.Kind != tools.Ask || !strings.Contains(got.Reason, "damaged") {
				t.Errorf("%+v: %+v", access, got)
			}
		}
	}
	if got := r.decide(read("a")); got.Kind != tools.Allow {
		t.Errorf("reading: %+v", got)
	}
	r.mode = ReadOnly
	if got := r.decide(edit("a")); got.Kind != tools.Deny {
		t.Errorf("read-only: %+v", got)
	}
	r.mode = FullAccess
	var damaged *DamagedError
	if err := r.Remember([]Rule{deny("", "x")}); !errors.As(err, &damaged) {
		t.Errorf("remembering: %v", err)
	}
	if got := r.decide(edit("a")); got.Kind != tools.Allow {
		t.Errorf("after the next decision: %+v", got)
	}
}

func TestNewerFileIsLeftAlone(t *testing.T) {
	g, path := grantsAt(t)
	const content = `{"version": 2, "grants": {"of": "another kind"}}`
	damage(t, path, content)
	for _, err := range []error{func() error { _, err := g.List(); return err }(), g.Add("/w", nil)} {
		if err == nil || !strings.Contains(err.Error(), "newer format 2") {
			t.Errorf("error %v", err)
		}
	}
	if data, err := os.ReadFile(path); string(data) != content {
		t.Errorf("file %q, %v", data, err)
	}
}

func TestUnwritableSaysOnce(t *testing.T) {
	dir := t.TempDir()
	blocker := filepath.Join(dir, "file")
	if err := os.WriteFile(blocker, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	g := OpenGrants(filepath.Join(blocker, "grants.json"))
	if err := g.Add("/w", []Rule{allow("", "x")}); err == nil || !strings.Contains(err.Error(), "allowed once only") {
		t.Errorf("allow: %v", err)
	}
	if err := g.Add("/w", []Rule{deny("", "x")}); err == nil || !strings.Contains(err.Error(), "rejected once only") {
		t.Errorf("deny: %v", err)
	}
	if n, err := g.Revoke(""); n != 0 || err == nil || !strings.Contains(err.Error(), "nothing was revoked") {
		t.Errorf("revoke: %d, %v", n, err)
	}
}

func TestFailedMoveLeavesNothing(t *testing.T) {
	g, path := grantsAt(t)
	if err := os.MkdirAll(filepath.Join(path, "x"), 0o700); err != nil { // a folder in the file's place
		t.Fatal(err)
	}
	if err := g.store(nil); err == nil {
		t.Fatal("stored over a folder")
	}
	if left, _ := filepath.Glob(path + ".new-*"); left != nil {
		t.Errorf("left over: %v", left)
	}
	if _, err := g.List(); err == nil {
		t.Error("a folder was read")
	}
}

// helperGrants makes the test binary a second process that remembers things.
const helperGrants = "PERMISSION_TEST_GRANTS"

func addMany(path, who string, count int) error {
	g := OpenGrants(path)
	for i := range count {
		if err := g.Add("/w", []Rule{allow("", fmt.Sprintf("%s-%d", who, i))}); err != nil {
			return err
		}
	}
	return nil
}

// Several processes and several goroutines change one file; nothing is lost.
func TestManyWriters(t *testing.T) {
	_, path := grantsAt(t)
	const each = 10
	var writers sync.WaitGroup
	errs := make(chan error, 4)
	for p := range 2 {
		cmd := exec.Command(os.Args[0], "-test.run=^$")
		cmd.Env = append(os.Environ(), helperGrants+"="+path, "PERMISSION_TEST_WHO="+fmt.Sprintf("process%d", p))
		writers.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				errs <- fmt.Errorf("%w: %s", err, out)
			}
		})
	}
	for n := range 2 {
		writers.Go(func() {
			if err := addMany(path, fmt.Sprintf("goroutine%d", n), each); err != nil {
				errs <- err
			}
		})
	}
	writers.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}
	list, err := OpenGrants(path).List()
	if err != nil || len(list) != 4*each {
		t.Errorf("%d grants of %d, %v", len(list), 4*each, err)
	}
}

func TestGrantsFileIsReadable(t *testing.T) {
	g, path := grantsAt(t)
	if err := g.Add("/w", []Rule{allow(tools.AccessExecute, "a && b")}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	var file map[string]any
	if err != nil || json.Unmarshal(data, &file) != nil || file["version"] != 1.0 || !strings.Contains(string(data), `"pattern": `) {
		t.Errorf("%s, %v", data, err)
	}
}
