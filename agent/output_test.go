package agent

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// drain takes all pieces that are due without an end.
func drain(o *liveOutput) (pieces []string) {
	for o.pending() {
		piece, _ := o.next()
		pieces = append(pieces, piece)
	}
	return pieces
}

func TestTheFirstMegabyteIsShownWhole(t *testing.T) {
	var o liveOutput
	in := strings.Repeat("0123456789 äöü\n", wholeOutput/18)
	for rest := in; rest != ""; {
		n := cutRune(rest, 50_001)
		o.add(rest[:n], 0)
		rest = rest[n:]
	}
	pieces := drain(&o)
	if strings.Join(pieces, "") != in {
		t.Error("not the same text")
	}
	for _, p := range pieces {
		if len(p) > maxPiece || !utf8.ValidString(p) {
			t.Errorf("a piece of %d bytes, valid %v", len(p), utf8.ValidString(p))
		}
	}
	if got := o.last("ref"); got != "" {
		t.Errorf("last %q", got)
	}
}

func TestBeyondItWholeLinesAreDropped(t *testing.T) {
	full := strings.Repeat("x", wholeOutput-1) + "\n"
	lines := func(from, to int) string {
		var b strings.Builder
		for i := from; i < to; i++ {
			fmt.Fprintf(&b, "line %06d\n", i)
		}
		return b.String()
	}
	long := strings.Repeat("y", maxTail+1)
	for _, tc := range []struct {
		name   string
		adds   []string
		ref    string
		pieces []string // of drain
		last   string
	}{
		{"fits", []string{lines(0, 100)}, "R", []string{lines(0, 100)}, ""},
		{
			"does not fit", []string{lines(0, 5000)}, "R",
			[]string{fmt.Sprintf("[%d bytes not shown]\n", 12*(5000-maxTail/12)) + lines(5000-maxTail/12, 5000)},
			fmt.Sprintf("[%d bytes not shown; full output: R]\n", 12*(5000-maxTail/12)),
		},
		{
			"a line too long is left out to its end", []string{"a\n" + long, long + "\nb\n"}, "",
			[]string{fmt.Sprintf("[%d bytes not shown]\nb\n", 2*len(long)+3)},
			fmt.Sprintf("[%d bytes not shown; full output: (unavailable)]\n", 2*len(long)+3),
		},
		{
			"a line without an end", []string{long, "z"}, "R",
			[]string{fmt.Sprintf("[%d bytes not shown]\n", len(long)+1)},
			fmt.Sprintf("[%d bytes not shown; full output: R]\n", len(long)+1),
		},
		{
			"an exact fit", []string{long[1:]}, "R", []string{long[1:]}, "",
		},
	} {
		var o liveOutput
		o.add(full, 0)
		drain(&o)
		for _, text := range tc.adds {
			o.add(text, 0)
		}
		if got := drain(&o); !slices.Equal(got, tc.pieces) {
			t.Errorf("%s:\n got %.200q\nwant %.200q", tc.name, got, tc.pieces)
		}
		if got := o.last(tc.ref); got != tc.last {
			t.Errorf("%s: last %q, want %q", tc.name, got, tc.last)
		}
	}
}

func TestTheEndSaysWhereAllOfItIs(t *testing.T) {
	var o liveOutput
	o.add(strings.Repeat("x", wholeOutput), 0) // no line end
	drain(&o)
	o.add(strings.Repeat("y", 2*maxTail)+"\nlast\n", 0)
	want := fmt.Sprintf("\n[%d bytes not shown; full output: /tmp/out]\nlast\n", 2*maxTail+1)
	if got := o.last("/tmp/out"); got != want {
		t.Errorf("one gap: %q, want %q", got, want)
	}
	o = liveOutput{}
	o.add(strings.Repeat("x", wholeOutput), 0)
	drain(&o)
	o.add(strings.Repeat("y", 2*maxTail)+"\nmid\n", 0)
	drain(&o)
	o.add("tail", 0)
	want = fmt.Sprintf("tail\n[%d bytes not shown; full output: R]\n", 2*maxTail+1)
	if got := o.last("R"); got != want {
		t.Errorf("a gap said before: %q, want %q", got, want)
	}
}

func TestWhatThePipelineDroppedIsCounted(t *testing.T) {
	var o liveOutput
	o.add("a\n", 0)
	o.add("of a line\nb\n", 1000)
	if got, want := strings.Join(drain(&o), "|"), "a\n|[1010 bytes not shown]\nb\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	o.add("", 7)
	if got, want := o.last("R"), "[7 bytes not shown]\n[1017 bytes not shown; full output: R]\n"; got != want {
		t.Errorf("last %q, want %q", got, want)
	}
}

func TestAbandonedOutputIsOnePiece(t *testing.T) {
	var o liveOutput
	o.add(strings.Repeat("0123456\n", wholeOutput/8), 0)
	o.abandon()
	got := o.last("R")
	if len(got) > maxPiece || !strings.HasPrefix(got, "[") || !strings.HasSuffix(got, "0123456\n") {
		t.Errorf("%d bytes: %.80q", len(got), got)
	}
	if o.pending() {
		t.Error("something is left")
	}
	o = liveOutput{}
	o.add("short\n", 0)
	o.abandon()
	if got := o.last("R"); got != "short\n" {
		t.Errorf("short output: %q", got)
	}
}

var notShown = regexp.MustCompile(`\[(\d+) bytes not shown\]\n`)

// FuzzLiveOutput checks the bookkeeping: what is shown and what is said to be
// left out are together all of the output; pieces are bounded and whole runes;
// memory is bounded.
func FuzzLiveOutput(f *testing.F) {
	f.Add("hello\nwörld\n", uint16(3), uint16(70))
	f.Add("你", uint16(40_000), uint16(9))
	f.Add(strings.Repeat("z", 5000), uint16(600), uint16(3))
	f.Fuzz(func(t *testing.T, text string, times, every uint16) {
		if !utf8.ValidString(text) || strings.Contains(text, "[") || times > 2000 || len(text)*int(times) > 3<<20 {
			t.Skip()
		}
		var o liveOutput
		shown, left, pieces := 0, 0, []string{}
		take := func(p string) {
			if len(p) > maxPiece || !utf8.ValidString(p) {
				t.Fatalf("a piece of %d bytes, valid %v", len(p), utf8.ValidString(p))
			}
			pieces = append(pieces, p)
		}
		for i := range int(times) {
			o.add(text, 0)
			if len(o.head)+len(o.tail) > wholeOutput+maxPiece {
				t.Fatalf("holds %d bytes", len(o.head)+len(o.tail))
			}
			if every > 0 && i%int(every) == 0 {
				p, _ := o.next()
				take(p)
			}
		}
		for o.pending() {
			p, _ := o.next()
			take(p)
		}
		all := strings.Join(pieces, "")
		for _, m := range notShown.FindAllStringSubmatchIndex(all, -1) {
			n, _ := strconv.Atoi(all[m[2]:m[3]])
			left += n
			shown -= m[1] - m[0]
			if m[0] > 0 && all[m[0]-1] == '\n' && !strings.HasSuffix(all[:m[0]], "\n") {
				t.Fatal("a notice in the middle of a line")
			}
		}
		shown += len(all)
		extra := strings.Count(all, "\n[") // line ends put before a notice, at most
		if total := len(text) * int(times); shown+left < total || shown+left > total+extra {
			t.Fatalf("%d shown, %d left out, of %d", shown, left, total)
		}
		if int64(left) != o.total {
			t.Fatalf("%d said, %d left out", left, o.total)
		}
	})
}

func BenchmarkLiveOutput(b *testing.B) {
	chunk := strings.Repeat("some line of output\n", 1600)
	b.SetBytes(int64(len(chunk)))
	b.ReportAllocs()
	var o liveOutput
	for b.Loop() {
		o.add(chunk, 0)
		o.next()
	}
}
