package presentation

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestStripANSI(t *testing.T) {
	tests := []struct {
		name, in, want string
	}{
		{"empty", "", ""},
		{"plain", "hi\n", "hi\n"},
		{"plain with tabs and umlauts", "\tgrün\n\n", "\tgrün\n\n"},
		{"colour", "\x1b[1;31mred\x1b[0m text", "red text"},
		{"colon parameters", "\x1b[38:2::255:0:0mred\x1b[m", "red"},
		{"private mode", "\x1b[?25lx\x1b[?25h", "x"},
		{"intermediate byte", "\x1b[0 qx", "x"},
		{"cursor movement is dropped", "a\x1b[2A\x1b[10;5Hb", "ab"},
		{"CSI as one character", "\u009b31mred", "red"},
		{"CSI cut off", "x\x1b[31", "x"},
		{"CSI with a newline inside", "x\x1b[3\ny", "x\ny"},
		{"CSI with a letter of another script", "x\x1b[3éy", "xéy"},
		{"lone ESC at the end", "x\x1b", "x"},
		{"two ESC", "\x1b\x1b[31mx", "x"},
		{"character set", "\x1b(Bx", "x"},
		{"full reset", "\x1bcx", "x"},
		{"title, ended by BEL", "\x1b]0;title\ax", "x"},
		{"title, ended by ST", "\x1b]0;title\x1b\\x", "x"},
		{"title, ended by ST as one character", "\x1b]0;tïtle\u009cx", "x"},
		{"hyperlink", "\x1b]8;;https://example.org\x1b\\here\x1b]8;;\x1b\\.", "here."},
		{"title that never ends", "a\x1b]0;title\nb", "a\nb"},
		{"title, cancelled", "\x1b]0;title\x18x", "x"},
		{"title, broken off by another sequence", "\x1b]0;title\x1b[31mx", "x"},
		{"device control string", "\x1bP1$r0m\x1b\\x", "x"},
		{"OSC as one character", "\u009d0;t\ax", "x"},
		{"CRLF", "a\r\nb\r\n", "a\nb\n"},
		{"progress", "10%\r50%\r100%\n", "100%\n"},
		{"overwriting leaves the rest", "abcdef\rXY", "XYcdef"},
		{"overwriting by characters, not bytes", "äöü\rx", "xöü"},
		{"erase to the end", "working…\r\x1b[Kdone", "done"},
		{"erase from the middle", "abcdef\rab\x1b[0K", "ab"},
		{"erase the line", "abc\x1b[2Kd", "d"},
		{"erase to the start is left out", "abc\x1b[1Kd", "abcd"},
		{"several CRs", "abc\r\r\rX", "Xbc"},
		{"CR at the end", "abc\r", "abc"},
		{"backspace", "abx\bc", "abc"},
		{"backspace at the start", "\b\bx", "x"},
		{"man page bold", "N\bNA\bAM\bME\bE", "NAME"},
		{"spinner", "|\b/\b-\b\\\bdone", "done"},
		{"bell, NUL, DEL, form feed", "a\ab\x00c\x7fd\fe", "abcde"},
		{"other C1 characters", "a\u0085b\u009ac", "abc"},
		{"not UTF-8", "a\xffb\x80", "a\uFFFDb\uFFFD"},
		{"half a character", "a\xe2\x82", "a\uFFFD\uFFFD"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := StripANSI(tt.in); got != tt.want {
				t.Errorf("StripANSI(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

// checkStripped reports whether out can be what StripANSI gives for in.
func checkStripped(t *testing.T, in, out string) {
	t.Helper()
	if !utf8.ValidString(out) {
		t.Fatalf("%q: %q is not UTF-8", in, out)
	}
	if n := utf8.RuneCountInString(out); n > len(in) {
		t.Fatalf("%q: %d characters of %d bytes", in, n, len(in))
	}
	for _, r := range out {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r <= 0x9f {
			t.Fatalf("%q: %q holds %U", in, out, r)
		}
	}
	if again := StripANSI(out); again != out {
		t.Fatalf("%q: %q becomes %q when it is stripped again", in, out, again)
	}
	if got, want := strings.Count(out, "\n"), strings.Count(in, "\n"); got > want {
		t.Fatalf("%q: %d lines of %d", in, got, want)
	}
}

func TestStripANSIOfAnything(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("PRESENTATION_TEST_SEED"); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
	}
	t.Logf("PRESENTATION_TEST_SEED=%d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	pieces := []string{
		"a", "bc", "é", "\n", "\r", "\b", "\t", "\x1b", "[", "]", "P", "31", ";", "m", "K", "2K", "\a", "\x1b\\", "\u009b", "\u009c", "\xc2", "\x9b", "\xff", "\x18",
	}
	for range 5000 {
		var b strings.Builder
		for range r.IntN(20) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		checkStripped(t, b.String(), StripANSI(b.String()))
	}
}

func FuzzStripANSI(f *testing.F) {
	f.Add("\x1b[1;31mred\x1b[0m\r\n")
	f.Add("10%\r\x1b[K20%\b\b\x1b]0;t\a")
	f.Add("\u009b\u009d\u009c\x1bP\x1b\\")
	f.Fuzz(func(t *testing.T, s string) {
		checkStripped(t, s, StripANSI(s))
	})
}

func TestConsoleFence(t *testing.T) {
	tests := []struct {
		name, in, want string
	}{
		{"A.2.5", "hi\n", "```console\nhi\n```"},
		{"no newline", "hi", "```console\nhi\n```"},
		{"several newlines at the end", "hi\n\n\r\n", "```console\nhi\n```"},
		{"inner and leading newlines stay", "\na\n\nb\n", "```console\n\na\n\nb\n```"},
		{"nothing", "", "```console\n\n```"},
		{"colour", "\x1b[32mok\x1b[0m\n", "```console\nok\n```"},
		{"a fence inside", "```go\nx\n```\n", "````console\n```go\nx\n```\n````"},
		{"a longer fence inside", "a `````` b", "```````console\na `````` b\n```````"},
		{"short runs", "`a` ``b``", "```console\n`a` ``b``\n```"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := ConsoleFence(tt.in); got != tt.want {
				t.Errorf("ConsoleFence(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

// Each of these would take quadratic time if something were done again for
// every sequence; compare the figures of both sizes.
func BenchmarkStripANSI(b *testing.B) {
	hostile := map[string]string{
		"plain":          "a line of text\n",
		"colour":         "\x1b[31mred\x1b[0m\n",
		"carriage":       "\rx",
		"erase":          "x\x1b[2K",
		"unclosed title": "\x1b]",
		"unclosed DCS":   "\x1bP1",
		"backspaces":     "ab\b",
	}
	for name, piece := range hostile {
		for _, n := range []int{10_000, 100_000} {
			s := strings.Repeat(piece, n)
			b.Run(name+"/"+strconv.Itoa(n), func(b *testing.B) {
				b.SetBytes(int64(len(s)))
				b.ReportAllocs()
				for b.Loop() {
					StripANSI(s)
				}
			})
		}
	}
}
