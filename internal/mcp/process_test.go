package mcp

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

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
