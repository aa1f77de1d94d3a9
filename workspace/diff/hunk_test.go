package diff

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// header prints the numbers of a hunk as its header has them, and the line of
// its first change.
func header(h Hunk) string {
	return fmt.Sprintf("-%d,%d +%d,%d first %d", h.OldStart, h.OldLines, h.NewStart, h.NewLines, h.FirstChange)
}

func headers(hunks []Hunk) []string {
	var list []string
	for _, h := range hunks {
		list = append(list, header(h))
	}
	return list
}

// replaceLines returns a numbered text with some of its lines replaced; "" deletes.
func replaceLines(text string, by map[int]string) string {
	var b strings.Builder
	n := 0
	for line := range strings.Lines(text) {
		n++
		if s, ok := by[n]; ok {
			line = s
		}
		b.WriteString(line)
	}
	return b.String()
}

func TestHunks(t *testing.T) {
	eight, twenty := numberedText("line", 8), numberedText("line", 20)
	tests := []struct {
		name          string
		before, after string
		context       int
		want          []string
	}{
		{"equal", eight, eight, 3, nil},
		{"both empty", "", "", 3, nil},
		{"line 4 of 8", eight, replaceLines(eight, map[int]string{4: "X\n"}), 3, []string{"-1,7 +1,7 first 4"}},
		{"line 1 of 8", eight, replaceLines(eight, map[int]string{1: "X\n"}), 3, []string{"-1,4 +1,4 first 1"}},
		{"line 8 of 8", eight, replaceLines(eight, map[int]string{8: "X\n"}), 3, []string{"-5,4 +5,4 first 8"}},
		{"line 10 of 20", twenty, replaceLines(twenty, map[int]string{10: "X\n"}), 3, []string{"-7,7 +7,7 first 10"}},
		{
			"far apart", twenty, replaceLines(twenty, map[int]string{3: "X\n", 16: "Y\n"}), 3,
			[]string{"-1,6 +1,6 first 3", "-13,7 +13,7 first 16"},
		},
		{
			"contexts that touch are one hunk", twenty, replaceLines(twenty, map[int]string{5: "X\n", 12: "Y\n"}), 3,
			[]string{"-2,14 +2,14 first 5"},
		},
		{
			"one line more is two", twenty, replaceLines(twenty, map[int]string{5: "X\n", 13: "Y\n"}), 3,
			[]string{"-2,7 +2,7 first 5", "-10,7 +10,7 first 13"},
		},
		{
			"numbers shift", twenty, replaceLines(twenty, map[int]string{3: "", 16: "Y\nZ\n"}), 3,
			[]string{"-1,6 +1,5 first 3", "-13,7 +12,8 first 15"},
		},
		{"no context", eight, replaceLines(eight, map[int]string{4: "X\n"}), 0, []string{"-4,1 +4,1 first 4"}},
		{"negative context", eight, replaceLines(eight, map[int]string{4: "X\n"}), -1, []string{"-4,1 +4,1 first 4"}},
		{"insertion without context", eight, replaceLines(eight, map[int]string{4: "line 4\nX\n"}), 0, []string{"-4,0 +5,1 first 5"}},
		{"deletion without context", eight, replaceLines(eight, map[int]string{4: ""}), 0, []string{"-4,1 +3,0 first 4"}},
		{"deletion at the end", eight, replaceLines(eight, map[int]string{8: ""}), 3, []string{"-5,4 +5,3 first 7"}},
		{"from nothing", "", "a\nb\n", 3, []string{"-0,0 +1,2 first 1"}},
		{"to nothing", "a\nb\n", "", 3, []string{"-1,2 +0,0 first 1"}},
		{"more context than text", eight, replaceLines(eight, map[int]string{4: "X\n"}), 100, []string{"-1,8 +1,8 first 4"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := headers(Hunks(tt.before, tt.after, tt.context)); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("Hunks: %q, want %q", got, tt.want)
			}
		})
	}
}

func TestHunkLinesKeepTheirEndings(t *testing.T) {
	got := Hunks("a\r\nb\n\rc\n\nd", "a\r\nB\n\rc\n\nd\n", 3)
	want := []Line{
		{' ', "a", "\r\n"},
		{'-', "b", "\n"},
		{'+', "B", "\n"},
		{' ', "\rc", "\n"},
		{' ', "", "\n"},
		{'-', "d", ""},
		{'+', "d", "\n"},
	}
	if len(got) != 1 || !reflect.DeepEqual(got[0].Lines, want) {
		t.Errorf("Hunks = %+v, want the lines %+v", got, want)
	}
}

// applyHunks puts the new lines of hunks in place of the old ones, and fails
// where those are not what text has.
func applyHunks(text string, hunks []Hunk) (string, error) {
	lines := allLines(text)
	var b strings.Builder
	at := 0
	for _, h := range hunks {
		start := h.OldStart - 1
		if h.OldLines == 0 {
			start++
		}
		for ; at < start; at++ {
			b.WriteString(lines[at])
		}
		if got := strings.Count(b.String(), "\n") + 1; h.NewLines > 0 && got != h.NewStart {
			return "", fmt.Errorf("hunk %s starts at new line %d", header(h), got)
		}
		for _, l := range h.Lines {
			if l.Op != '+' {
				if at >= len(lines) || lines[at] != l.Text+l.EOL {
					return "", fmt.Errorf("hunk %s does not fit at line %d", header(h), at+1)
				}
				at++
			}
			if l.Op != '-' {
				b.WriteString(l.Text + l.EOL)
			}
		}
	}
	for ; at < len(lines); at++ {
		b.WriteString(lines[at])
	}
	return b.String(), nil
}

func TestHunksGiveTheText(t *testing.T) {
	r := newRand(t)
	for range 3000 {
		before, after := randomPair(r)
		context := r.IntN(4)
		hunks := Hunks(before, after, context)
		got, err := applyHunks(before, hunks)
		if err != nil || got != after {
			t.Fatalf("%q to %q, context %d, %+v: %q, %v", before, after, context, hunks, got, err)
		}
		for _, h := range hunks {
			checkFirstChange(t, after, h)
		}
	}
}

// checkFirstChange fails unless the line that FirstChange names is the first
// inserted one, or the one after a deletion.
func checkFirstChange(t *testing.T, after string, h Hunk) {
	t.Helper()
	line := h.NewStart
	if h.NewLines == 0 {
		line++
	}
	for _, l := range h.Lines {
		if l.Op != ' ' {
			break
		}
		line++
	}
	if last := len(allLines(after)); line > last {
		line = max(last, 1)
	}
	if h.FirstChange != line {
		t.Fatalf("hunk %s of %q: the first change is at line %d", header(h), after, line)
	}
}
