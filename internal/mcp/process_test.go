package mcp

import (
	"bufio"
	"bytes"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/tools/proc"
)

func TestLinesPassMessagesAlone(t *testing.T) {
	long := `{"long":"` + strings.Repeat("x", 200<<10) + `"}`
	for _, tt := range []struct{ name, in, want string }{
		{"messages", "{\"a\":1}\n{\"b\":2}\r\n", "{\"a\":1}\n{\"b\":2}\n"},
		{"banner", "Hello!\n\n{\"a\":1}\n{broken\n", "{\"a\":1}\n"},
		{"no last end", "{\"a\":1}", "{\"a\":1}\n"},
		{"longer than a buffer", long + "\n", long + "\n"},
		{"nothing", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := &lines{in: bufio.NewReader(strings.NewReader(tt.in)), max: 1 << 20, log: slog.New(slog.DiscardHandler)}
			got, err := io.ReadAll(l)
			if err != nil || string(got) != tt.want {
				t.Errorf("%.80q, %v; want %.80q", got, err, tt.want)
			}
		})
	}
}

func TestLinesAreBounded(t *testing.T) {
	endless := io.LimitReader(zeros{}, 1<<20)
	l := &lines{in: bufio.NewReader(endless), max: 100 << 10, log: slog.New(slog.DiscardHandler)}
	if n, err := io.Copy(io.Discard, l); n > 0 || err != errTooLong {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// zeros is an endless line.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

func TestStandardErrorIsLoggedLineByLine(t *testing.T) {
	var out bytes.Buffer
	c := &chatter{log: slog.New(slog.NewTextHandler(&out, nil))}
	for _, text := range []string{"one\ntw", "o\n", "", "three", " and a half\n"} {
		c.add(text)
	}
	if got := strings.Count(out.String(), "line="); got != 3 || !strings.Contains(out.String(), "line=two\n") {
		t.Errorf("log is %s", out.String())
	}
	for range maxLogged/1000 + 10 {
		c.add(strings.Repeat("x", 999) + "\n")
	}
	if size := out.Len(); size > 2*maxLogged {
		t.Errorf("%d bytes were logged", size)
	}
	if got := strings.Count(out.String(), "no more of it is logged"); got != 1 {
		t.Errorf("said %d times that there is more", got)
	}
}

func TestLastLines(t *testing.T) {
	long := strings.Repeat("first words\n", 100) + "the end"
	if got := lastLines(long); len(got) > maxSaid || !strings.HasSuffix(got, "first words the end") || strings.Contains(got, "\n") {
		t.Errorf("%q", got)
	}
}

func TestTrouble(t *testing.T) {
	three, zero := 3, 0
	for _, tt := range []struct {
		exit proc.Exit
		want string
	}{
		{proc.Exit{}, ""},
		{proc.Exit{Code: &zero}, ""},
		{proc.Exit{Aborted: true, Signal: "SIGTERM", Stderr: proc.Captured{Text: "bye"}}, "it last said: bye"},
		{proc.Exit{Code: &three}, "it ended with exit code 3"},
		{proc.Exit{Signal: "SIGSEGV", Stderr: proc.Captured{Text: "a\nb\n"}}, "it was ended by SIGSEGV; it last said: a b"},
	} {
		if got := troubleOf(tt.exit); got != tt.want {
			t.Errorf("%+v is %q, want %q", tt.exit, got, tt.want)
		}
	}
}
