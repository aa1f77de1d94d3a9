package builtin

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/workspace"
)

// newBoundSession makes a session whose calls reach its folder alone, as after
// the decision to let them; what they must not reach lies in outside.
func newBoundSession(t *testing.T) (s *session, outside string) {
	t.Helper()
	s = newSession(t, Options{})
	tools.Override(s.run.Deps, Files, s.view.Limited(workspace.Limit{Paths: []string{s.dir}}))
	outside, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(outside, name), []byte("SECRET\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		entries, err := os.ReadDir(outside)
		if err != nil || len(entries) != 2 {
			t.Errorf("outside holds %v, %v", entries, err)
		}
		for _, name := range []string{"a", "b"} {
			if b, err := os.ReadFile(filepath.Join(outside, name)); err != nil || string(b) != "SECRET\n" {
				t.Errorf("outside, %s holds %q, %v", name, b, err)
			}
		}
	})
	return s, outside
}

// swap exchanges path for a link to target and back, as fast as it can, until
// stop is called.
func swap(t *testing.T, path, target string) (stop func()) {
	t.Helper()
	link := path + ".link"
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	quit := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		for {
			select {
			case <-quit:
				return
			default:
			}
			if unix.Renameat2(unix.AT_FDCWD, path, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE) == nil {
				_ = unix.Renameat2(unix.AT_FDCWD, link, unix.AT_FDCWD, path, unix.RENAME_EXCHANGE)
			}
		}
	})
	return func() { close(quit); done.Wait() }
}

// TestSwappedLinks races the file tools against a folder, and a file, that
// turn into links to outside between the check and the use.
func TestSwappedLinks(t *testing.T) {
	for _, swapped := range []string{"dir", "dir/a"} {
		t.Run(swapped, func(t *testing.T) {
			s, outside := newBoundSession(t)
			s.write("dir/a", "open\n")
			s.write("dir/b", "open\n")
			stop := swap(t, s.path(swapped), filepath.Join(outside, strings.TrimPrefix(swapped, "dir")))
			went := map[string]int{}
			for i := range 40 {
				calls := []callSpec{
					{"read", args{"file_path": "dir/a"}},
					{"grep", args{"pattern": "[A-Z]", "path": "dir"}},
					{"grep", args{"pattern": "[A-Z]"}},
					{"grep", args{"pattern": "[A-Z]", "path": "dir/a"}},
					{"write", args{"file_path": "dir/a", "content": "open\n", "expected_hash": hash("open\n")}},
					{"write", args{"file_path": "dir/a", "content": "stolen\n", "expected_hash": hash("SECRET\n")}},
					{"write", args{"file_path": fmt.Sprintf("dir/new%d", i), "content": "new\n"}},
					{"edit", args{"file_path": "dir/a", "old_string": "open", "new_string": "open open"}},
					{"edit", args{"file_path": "dir/a", "old_string": "open open", "new_string": "open"}},
					{"edit", args{"file_path": "dir/a", "start_line": 1, "end_line": 1, "content": "stolen"}},
					{"edit", args{"file_path": "dir/a", "old_string": "SEC", "new_string": "stolen"}},
					{"edit", args{"file_path": fmt.Sprintf("dir/made%d", i), "old_string": "", "new_string": "made\n"}},
					{"apply_patch", patchOf("*** Update File: dir/a", "@@", "+added", "@@", "+more")},
					{"apply_patch", patchOf(fmt.Sprintf("*** Add File: dir/added%d", i), "+added", "*** Update File: dir/b", "@@", "-open", "+open")},
					{"apply_patch", patchOf("*** Update File: dir/b", fmt.Sprintf("*** Move to: dir/moved%d", i), "@@", "-open", "+open")},
					{"apply_patch", patchOf(fmt.Sprintf("*** Update File: dir/moved%d", i), "*** Move to: dir/b", "@@", "-open", "+open")},
				}
				for _, c := range calls {
					r := s.call(c.name, c.args)
					if strings.Contains(text(r), "SECRET") {
						t.Fatalf("%s %v: %s", c.name, c.args, text(r))
					}
					if !r.IsError {
						went[c.name]++
					}
				}
			}
			stop()
			t.Logf("calls that went through: %v", went)
		})
	}
}

// TestWaysOut names what is outside by every detour; nothing may be read or
// changed there.
func TestWaysOut(t *testing.T) {
	s, outside := newBoundSession(t)
	s.write("in", "open\n")
	s.link(outside, "door")
	s.link("/proc/self/root", "proc")
	s.link(filepath.Join(outside, "a"), "file")
	s.link("../"+filepath.Base(outside)+"/none", "dangling")
	up, err := filepath.Rel(s.dir, outside)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{outside, up, "door", "in/../" + up, "/proc/self/root" + outside, "proc" + outside, "file://" + outside, "@" + outside} {
		for _, c := range []callSpec{
			{"read", args{"file_path": dir + "/a"}},
			{"grep", args{"pattern": "S", "path": dir}},
			{"grep", args{"pattern": "S", "path": dir + "/a"}},
			{"glob", args{"pattern": "*", "path": dir}},
			{"ls", args{"path": dir}},
			{"view_image", args{"file_path": dir + "/a"}},
			{"write", args{"file_path": dir + "/a", "content": "x", "expected_hash": hash("SECRET\n")}},
			{"write", args{"file_path": dir + "/new/file", "content": "x"}},
			{"edit", args{"file_path": dir + "/a", "old_string": "SECRET", "new_string": "x", "expected_hash": hash("SECRET\n")}},
			{"edit", args{"file_path": dir + "/new", "old_string": "", "new_string": "x"}},
			{"apply_patch", patchOf("*** Add File: "+dir+"/new", "+x")},
			{"apply_patch", patchOf("*** Update File: "+dir+"/a", "@@", "-SECRET", "+x")},
			{"apply_patch", patchOf("*** Delete File: " + dir + "/a")},
			{"apply_patch", patchOf("*** Update File: in", "*** Move to: "+dir+"/moved", "@@", "-open", "+x")},
		} {
			r := s.call(c.name, c.args)
			if !r.IsError || strings.Contains(text(r), "SECRET\n") {
				t.Errorf("%s %v goes through: %s", c.name, c.args, text(r))
			}
		}
	}
	for _, path := range []string{"file", "dangling"} {
		for _, c := range []callSpec{
			{"read", args{"file_path": path}},
			{"write", args{"file_path": path, "content": "x", "expected_hash": hash("SECRET\n")}},
			{"write", args{"file_path": path, "content": "x"}},
			{"edit", args{"file_path": path, "old_string": "", "new_string": "x"}},
			{"apply_patch", patchOf("*** Add File: "+path, "+x")},
			{"apply_patch", patchOf("*** Delete File: " + path)},
		} {
			if r := s.call(c.name, c.args); !r.IsError {
				t.Errorf("%s %v goes through: %s", c.name, c.args, text(r))
			}
		}
	}
	if got := s.ok("grep", args{"pattern": "S"}); got != "No matches found" {
		t.Errorf("grep follows links: %s", got)
	}
	if s.file("in") != "open\n" {
		t.Errorf("in holds %q", s.file("in"))
	}
}

// TestPatchNamesAllItTouches: a decision about a patch sees every path.
func TestPatchNamesAllItTouches(t *testing.T) {
	p := patchOf("*** Add File: /abs/new", "+x", "*** Delete File: ../up", "*** Update File: a/../../b", "*** Move to: .git/hooks/pre-commit", "@@", "-x", "+y")
	var got []string
	for _, a := range ApplyPatch(Options{}).Access([]byte(mustJSON(p))) {
		if a.Kind != tools.AccessEdit {
			t.Errorf("%+v", a)
		}
		got = append(got, a.Path)
	}
	if want := []string{"/abs/new", "../up", "a/../../b", ".git/hooks/pre-commit"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestFilesThatNeverEnd calls the file tools with pipes, devices and a socket:
// no call may wait, and none may put a file in their place.
func TestFilesThatNeverEnd(t *testing.T) {
	s := newSession(t, Options{})
	if err := syscall.Mkfifo(s.path("fifo"), 0o666); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(fd) }()
	t.Chdir(s.dir) // names of sockets are short
	if err := unix.Bind(fd, &unix.SockaddrUnix{Name: "socket"}); err != nil {
		t.Fatal(err)
	}
	s.link("/dev/zero", "zero")
	s.link("/dev/full", "full")
	for _, path := range []string{"fifo", "socket", "zero", "full", "/dev/zero", "/dev/stdin", "/proc/self/fd/0"} {
		for _, c := range []callSpec{
			{"read", args{"file_path": path}},
			{"write", args{"file_path": path, "content": "x"}},
			{"edit", args{"file_path": path, "old_string": "a", "new_string": "b"}},
			{"edit", args{"file_path": path, "old_string": "", "new_string": "b"}},
			{"edit", args{"file_path": path, "start_line": 1, "end_line": 1, "content": "b"}},
			{"apply_patch", patchOf("*** Update File: "+path, "@@", "-a", "+b")},
			{"apply_patch", patchOf("*** Add File: "+path, "+b")},
			{"apply_patch", patchOf("*** Delete File: " + path)},
			{"grep", args{"pattern": "x", "path": path}},
			{"glob", args{"pattern": "x", "path": path}},
			{"ls", args{"path": path}},
			{"view_image", args{"file_path": path}},
		} {
			if r := soon(t, s, c); !r.IsError || r.Error == nil || r.Error.Code == "" {
				t.Errorf("%s %v goes through: %s", c.name, c.args, text(r))
			}
		}
	}
	s.write("plain", "x\n")
	if got := text(soon(t, s, callSpec{"grep", args{"pattern": "x"}})); got != "plain:1: x" {
		t.Errorf("grep: %s", got)
	}
	if info, err := os.Lstat(s.path("fifo")); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe is %v, %v", info, err)
	}
}

// soon runs a call that must not wait for anybody.
func soon(t *testing.T, s *session, c callSpec) tools.Result {
	t.Helper()
	done := make(chan tools.Result, 1)
	go func() { done <- s.call(c.name, c.args) }()
	select {
	case r := <-done:
		return r
	case <-time.After(time.Minute):
		t.Fatalf("%s %v waits", c.name, c.args)
		return tools.Result{}
	}
}

// TestHugeFiles calls the file tools with a sparse file of 10 GB: none may
// take it into memory.
func TestHugeFiles(t *testing.T) {
	s := newSession(t, Options{})
	for name, head := range map[string]string{"zeros": "", "text": strings.Repeat("hit\n", 5000)} {
		s.write(name, head)
		if err := os.Truncate(s.path(name), 10<<30); err != nil {
			t.Skipf("no sparse files here: %v", err)
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, name := range []string{"zeros", "text"} {
		for _, c := range []callSpec{
			{"read", args{"file_path": name}},
			{"write", args{"file_path": name, "content": "x", "expected_hash": hash("")}},
			{"edit", args{"file_path": name, "old_string": "hit", "new_string": "x", "expected_hash": hash("")}},
			{"apply_patch", patchOf("*** Update File: "+name, "@@", "-hit", "+x")},
			{"apply_patch", patchOf("*** Delete File: " + name)},
		} {
			if got := s.fails(workspace.FSTooLarge, c.name, c.args); !strings.Contains(got, "10737418240") {
				t.Errorf("%s: %s", c.name, got)
			}
		}
		s.call("view_image", args{"file_path": name})
	}
	if got := s.ok("grep", args{"pattern": "hit", "limit": 3}); !strings.HasPrefix(got, "text:1: hit\n") {
		t.Errorf("grep: %s", got)
	}
	if got := s.ok("grep", args{"pattern": "none", "path": "text"}); !strings.Contains(got, "with a line of more than 64 MiB") {
		t.Errorf("grep: %s", got)
	}
	if got := s.ok("grep", args{"pattern": "none", "path": "zeros"}); !strings.Contains(got, "1 binary") {
		t.Errorf("grep: %s", got)
	}
	if got := s.ok("ls", "{}"); got != "text\nzeros" {
		t.Errorf("ls: %s", got)
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 400<<20 {
		t.Errorf("%d MiB were allocated", grown>>20)
	}
	if info, err := os.Stat(s.path("text")); err != nil || info.Size() != 10<<30 {
		t.Errorf("%v, %v", info, err)
	}
}
