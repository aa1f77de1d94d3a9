package proc

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
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
			got, err := io.ReadAll(NewLines(strings.NewReader(tt.in), 1<<20, json.Valid))
			if err != nil || string(got) != tt.want {
				t.Errorf("%.80q, %v; want %.80q", got, err, tt.want)
			}
		})
	}
}

func TestLinesAreBounded(t *testing.T) {
	endless := io.LimitReader(zeros{}, 1<<20)
	if n, err := io.Copy(io.Discard, NewLines(endless, 100<<10, json.Valid)); n > 0 || err != ErrLineTooLong {
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

func TestLastWords(t *testing.T) {
	long := strings.Repeat("first words\n", 100) + "the end"
	if got := LastWords(long); len(got) > maxSaid || !strings.HasSuffix(got, "first words the end") || strings.Contains(got, "\n") {
		t.Errorf("%q", got)
	}
}

func TestTrouble(t *testing.T) {
	three, zero := 3, 0
	for _, tt := range []struct {
		exit Exit
		want string
	}{
		{Exit{}, ""},
		{Exit{Code: &zero}, ""},
		{Exit{Aborted: true, Signal: "SIGTERM", Stderr: Captured{Text: "bye"}}, "it last said: bye"},
		{Exit{Code: &three}, "it ended with exit code 3"},
		{Exit{Signal: "SIGSEGV", Stderr: Captured{Text: "a\nb\n"}}, "it was ended by SIGSEGV; it last said: a b"},
	} {
		if got := tt.exit.Trouble(); got != tt.want {
			t.Errorf("%+v is %q, want %q", tt.exit, got, tt.want)
		}
	}
}
