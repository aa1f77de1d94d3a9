//go:build unix

package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"
)

// patience bounds waits that end long before on any machine.
const patience = time.Minute

// run runs one command with a fresh Local and returns how it ended.
func run(t *testing.T, c Command) Exit {
	t.Helper()
	l := NewLocal(LocalOptions{})
	t.Cleanup(l.Close)
	return runWith(t, l, c)
}

func runWith(t *testing.T, l *Local, c Command) Exit {
	t.Helper()
	return wait(t, start(context.Background(), t, l, c))
}

func start(ctx context.Context, t *testing.T, l *Local, c Command) Process {
	t.Helper()
	if c.Dir == "" {
		c.Dir = t.TempDir()
	}
	p, err := l.Start(ctx, c)
	if err != nil {
		t.Fatalf("start %q: %v", c.Line, err)
	}
	return p
}

func wait(t *testing.T, p Process) Exit {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	e, err := p.Wait(ctx)
	if err != nil {
		t.Fatalf("wait: %v", err)
	}
	return e
}

func code(e Exit) string {
	if e.Code == nil {
		return "none"
	}
	return strconv.Itoa(*e.Code)
}

func TestLocalOutcomes(t *testing.T) {
	tests := []struct {
		line           string
		stdout, stderr string
		code, signal   string
	}{
		{"echo out; echo err >&2", "out\n", "err\n", "0", ""},
		{"true", "", "", "0", ""},
		{"exit 7", "", "", "7", ""},
		{"echo x; exit 3", "x\n", "", "3", ""},
		{"kill -9 $$", "", "", "none", "SIGKILL"},
		{"kill -TERM $$", "", "", "none", "SIGTERM"},
		{"cat", "", "", "0", ""},
		{"read x; echo $?", "1\n", "", "0", ""},
		{"printf 'caf\\351'", "caf\uFFFD", "", "0", ""},
		{"printf '[%s]' \"$GIT_EDITOR\" \"$TERM\" \"$NO_COLOR\"", "[false][dumb][1]", "", "0", ""},
	}
	for _, tt := range tests {
		t.Run(tt.line, func(t *testing.T) {
			t.Parallel()
			e := run(t, Command{Line: tt.line})
			if e.Stdout.Text != tt.stdout || e.Stderr.Text != tt.stderr || code(e) != tt.code || e.Signal != tt.signal {
				t.Errorf("%+v, code %s", e, code(e))
			}
			if e.TimedOut || e.Aborted || e.Stdout.Truncated || e.Duration <= 0 {
				t.Errorf("%+v", e)
			}
		})
	}
}

func TestLocalSurroundings(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l := NewLocal(LocalOptions{Environ: []string{"PATH=" + os.Getenv("PATH"), "SOME_KEY=hidden", "PLAIN=seen"}})
	defer l.Close()
	t.Run("folder", func(t *testing.T) {
		if e := runWith(t, l, Command{Line: "pwd -P", Dir: dir}); e.Stdout.Text != dir+"\n" {
			t.Errorf("pwd is %q", e.Stdout.Text)
		}
	})
	t.Run("environment", func(t *testing.T) {
		e := runWith(t, l, Command{Line: `printf '%s|%s|%s' "$SOME_KEY" "$PLAIN" "$GIVEN_KEY"`, Env: []string{"GIVEN_KEY=yes"}})
		if e.Stdout.Text != "|seen|yes" {
			t.Errorf("environment %q", e.Stdout.Text)
		}
	})
	t.Run("stdin is the null device", func(t *testing.T) {
		if e := runWith(t, l, Command{Line: "test -c /dev/stdin && test -p /dev/stdout && echo yes"}); e.Stdout.Text != "yes\n" {
			t.Errorf("%+v", e)
		}
	})
	t.Run("no terminal to prompt on", func(t *testing.T) {
		if e := runWith(t, l, Command{Line: "(: < /dev/tty) 2>/dev/null || echo none"}); e.Stdout.Text != "none\n" {
			t.Errorf("%+v", e)
		}
	})
}

func TestLocalRefuses(t *testing.T) {
	l := NewLocal(LocalOptions{})
	defer l.Close()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	marker := filepath.Join(dir, "ran")
	cancelled, cancel := context.WithCancelCause(context.Background())
	reason := errors.New("changed my mind")
	cancel(reason)
	tests := []struct {
		name string
		ctx  context.Context
		c    Command
		code string
	}{
		{"no command", context.Background(), Command{Line: "  ", Dir: dir}, CodeBadCommand},
		{"embedded NUL", context.Background(), Command{Line: "echo \x00", Dir: dir}, CodeBadCommand},
		{"missing folder", context.Background(), Command{Line: "true", Dir: filepath.Join(dir, "no")}, CodeBadFolder},
		{"folder is a file", context.Background(), Command{Line: "true", Dir: file}, CodeBadFolder},
		{"relative folder", context.Background(), Command{Line: "true", Dir: "rel"}, CodeBadFolder},
		{"cancelled before", cancelled, Command{Line: "touch " + marker, Dir: dir}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := l.Start(tt.ctx, tt.c)
			var coded *Error
			switch {
			case err == nil:
				t.Fatal("it started")
			case tt.code == "" && !errors.Is(err, reason):
				t.Errorf("error %v, want the context's cause", err)
			case tt.code != "" && (!errors.As(err, &coded) || coded.Code != tt.code || coded.Hint == ""):
				t.Errorf("error %#v, want code %s with a hint", err, tt.code)
			}
		})
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("a cancelled command ran")
	}
	if _, err := NewLocal(LocalOptions{Shell: Shell{Path: "/no/such/shell"}}).Start(context.Background(), Command{Line: "true", Dir: dir}); err == nil {
		t.Error("a missing shell started")
	}
}

// TestLocalSplitRunes: pauses inside a rune, and many wide runes (field report
// 29).
func TestLocalSplitRunes(t *testing.T) {
	var shown strings.Builder
	e := run(t, Command{
		Line:   `printf '\342'; sleep 0.1; printf '\211'; sleep 0.1; printf '\244\n'; i=0; while [ $i -lt 500 ]; do printf '你你你你你你你你你你你你你你你你你你你你'; i=$((i+1)); done`,
		Output: func(text string) { shown.WriteString(text) },
	})
	want := "≤\n" + strings.Repeat("你", 10_000)
	if e.Stdout.Text != want || shown.String() != want {
		t.Errorf("%d bytes captured, %d shown, want %d", len(e.Stdout.Text), shown.Len(), len(want))
	}
}

// TestLocalOutput: both streams arrive in order, from one goroutine at a time,
// and Stderr takes its stream away from Output.
func TestLocalOutput(t *testing.T) {
	line := "for i in 1 2 3 4 5 6 7 8 9; do echo o$i; echo e$i >&2; done"
	var both, out, err strings.Builder
	busy := make(chan struct{}, 1)
	alone := func(b *strings.Builder) func(string) {
		return func(text string) {
			select {
			case busy <- struct{}{}:
				b.WriteString(text)
				<-busy
			default:
				t.Error("two calls at the same time")
			}
		}
	}
	run(t, Command{Line: line, Output: alone(&both)})
	run(t, Command{Line: line, Output: alone(&out), Stderr: alone(&err)})
	var o, e string
	for i := 1; i <= 9; i++ {
		o += fmt.Sprintf("o%d\n", i)
		e += fmt.Sprintf("e%d\n", i)
	}
	if out.String() != o || err.String() != e {
		t.Errorf("stdout %q, stderr %q", out.String(), err.String())
	}
	if both.Len() != len(o)+len(e) {
		t.Errorf("both streams: %q", both.String())
	}
}

func TestLocalTruncates(t *testing.T) {
	var spilled bytes.Buffer
	var streams []string
	e := run(t, Command{
		Line: "i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done; echo e >&2",
		Keep: 1000,
		Spill: func(stream string) (io.WriteCloser, string, error) {
			streams = append(streams, stream)
			return nopCloser{&spilled}, "REF", nil
		},
	})
	if !e.Stdout.Truncated || e.Stdout.Ref != "REF" || len(e.Stdout.Text) > 1000 || !strings.HasSuffix(e.Stdout.Text, "line 2999\n") || !strings.HasPrefix(e.Stdout.Text, "line ") {
		t.Errorf("stdout %+v", e.Stdout)
	}
	if e.Stderr != (Captured{Text: "e\n", Total: 2}) {
		t.Errorf("stderr %+v", e.Stderr)
	}
	if len(streams) != 1 || streams[0] != StreamStdout {
		t.Errorf("spilled %v", streams)
	}
	if int64(spilled.Len()) != e.Stdout.Total || !strings.HasPrefix(spilled.String(), "line 0\n") || !strings.HasSuffix(spilled.String(), e.Stdout.Text) {
		t.Errorf("spill has %d bytes of %d", spilled.Len(), e.Stdout.Total)
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// TestLocalBinary: arbitrary bytes become valid text.
func TestLocalBinary(t *testing.T) {
	e := run(t, Command{Line: "head -c 200000 /dev/urandom"})
	if !utf8.ValidString(e.Stdout.Text) || len(e.Stdout.Text) > DefaultKeep || e.Stdout.Total != 200_000 {
		t.Errorf("%d bytes of text of %d", len(e.Stdout.Text), e.Stdout.Total)
	}
}

// TestLocalGitCommit: the editor fails at once instead of waiting for input
// (field report 86).
func TestLocalGitCommit(t *testing.T) {
	e := run(t, Command{Line: "command -v git >/dev/null || exit 99; git init -q . && git -c user.name=n -c user.email=e commit --allow-empty"})
	if code(e) == "99" {
		t.Skip("no git")
	}
	if code(e) == "0" || e.Signal != "" || e.Code == nil {
		t.Errorf("code %s, %+v", code(e), e)
	}
}

// TestLocalParallel: many commands at once all end, and none stays a zombie.
func TestLocalParallel(t *testing.T) {
	l := NewLocal(LocalOptions{})
	defer l.Close()
	dir := t.TempDir()
	var all sync.WaitGroup
	var mu sync.Mutex
	pids := make(map[string]bool)
	for i := range 100 {
		all.Go(func() {
			p, err := l.Start(context.Background(), Command{Line: fmt.Sprintf("echo $$; exit %d", i), Dir: dir})
			if err != nil {
				t.Error(err)
				return
			}
			e, err := p.Wait(context.Background())
			if err != nil || code(e) != strconv.Itoa(i) {
				t.Errorf("command %d: code %s, %v", i, code(e), err)
			}
			mu.Lock()
			pids[strings.TrimSpace(e.Stdout.Text)] = true
			mu.Unlock()
		})
	}
	all.Wait()
	if len(pids) != 100 {
		t.Errorf("%d different processes", len(pids))
	}
	for text := range pids {
		pid, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		var status syscall.WaitStatus
		if _, err := syscall.Wait4(pid, &status, syscall.WNOHANG, nil); err != syscall.ECHILD {
			t.Errorf("process %d was not reaped: %v", pid, err)
		}
	}
}

func TestLocalTerminal(t *testing.T) {
	l := NewLocal(LocalOptions{Terminal: true, Grace: patience})
	defer l.Close()
	e := runWith(t, l, Command{Line: "test -t 1 && test -t 2 && ! test -t 0 && echo tty; exit 3"})
	if e.Stdout.Text != "tty\r\n" || code(e) != "3" || e.Stderr != (Captured{}) {
		t.Errorf("%+v code %s", e, code(e))
	}
	p := start(context.Background(), t, l, Command{Line: "sleep 100"})
	p.Stop()
	if e := wait(t, p); e.Signal != "SIGTERM" {
		t.Errorf("%+v", e)
	}
}
