package cache

import (
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/rivo/uniseg"
)

func TestReadSegment(t *testing.T) {
	line25k := strings.Repeat("0123456789", 2500)
	in := "short\n" + line25k + "\r\n👍🏽👍🏽A\n\n" + "e\u0301a\u0308\n"
	tests := []struct {
		name                string
		line, offset, limit int64
		text                string
		to, length          int64
	}{
		{"first page", 2, 0, 10_000, line25k[:10_000], 10_000, 25_000},
		{"second page", 2, 10_000, 10_000, line25k[10_000:20_000], 20_000, 25_000},
		{"last page", 2, 20_000, 10_000, line25k[20_000:], 25_000, 25_000},
		{"offset is the length", 2, 25_000, 10, "", 25_000, 25_000},
		{"emoji with a skin tone is one", 3, 0, 10, "👍🏽👍🏽A", 3, 3},
		{"part of them", 3, 1, 1, "👍🏽", 2, 3},
		{"empty line", 4, 0, 10, "", 0, 0},
		{"combining marks", 5, 1, 5, "a\u0308", 2, 2},
		{"no characters wanted", 1, 2, 0, "", 2, 5},
		{"all of a large limit", 1, 1, math.MaxInt64 - 1, "hort", 5, 5},
	}
	for _, tt := range tests {
		for name, r := range map[string]io.Reader{"": strings.NewReader(in), " bytewise": iotest.OneByteReader(strings.NewReader(in))} {
			s, err := ReadSegment(r, tt.line, tt.offset, tt.limit)
			want := Segment{Text: tt.text, From: tt.offset, To: tt.to, Length: tt.length}
			if err != nil || s != want {
				t.Errorf("%s%s: %d–%d of %d, %.20q, %v", tt.name, name, s.From, s.To, s.Length, s.Text, err)
			}
		}
	}
}

func TestReadSegmentOutOfRange(t *testing.T) {
	in := "abc\nde\n"
	tests := []struct {
		line, offset int64
		want         string
	}{
		{3, 0, "Line number out of range: 3 (total 2)"},
		{99, 5, "Line number out of range: 99 (total 2)"},
		{0, 0, "Line number out of range: 0 (total 2)"},
		{-4, 0, "Line number out of range: -4 (total 2)"},
		{1, 4, "char_offset out of range: 4 (line length 3)"},
		{2, -1, "char_offset out of range: -1 (line length 2)"},
		{1, math.MaxInt64, "char_offset out of range: 9223372036854775807 (line length 3)"},
	}
	for _, tt := range tests {
		_, err := ReadSegment(strings.NewReader(in), tt.line, tt.offset, 10)
		var out *RangeError
		if !errors.As(err, &out) || err.Error() != tt.want {
			t.Errorf("%d, %d: %v, want %s", tt.line, tt.offset, err, tt.want)
		}
	}
	if _, err := ReadSegment(strings.NewReader(""), 1, 0, 1); err == nil || err.Error() != "Line number out of range: 1 (total 0)" {
		t.Errorf("nothing stored: %v", err)
	}
}

// TestReadSegmentBounds: a segment of huge characters is bounded, and paging
// through it shows everything.
func TestReadSegmentBounds(t *testing.T) {
	for name, unit := range map[string]string{"marks": "e" + strings.Repeat("\u0301", 500), "ascii": strings.Repeat("x", 1000)} {
		line := strings.Repeat(unit, 2000)
		var all strings.Builder
		for from := int64(0); ; {
			s, err := ReadSegment(strings.NewReader(line), 1, from, 10_000_000)
			if err != nil {
				t.Fatal(err)
			}
			if len(s.Text) > maxSegmentBytes || int64(uniseg.GraphemeClusterCount(s.Text)) != s.To-s.From {
				t.Fatalf("%s: %d bytes, %d–%d", name, len(s.Text), s.From, s.To)
			}
			all.WriteString(s.Text)
			if from = s.To; from == s.Length {
				break
			}
		}
		if all.String() != line {
			t.Errorf("%s: paging gave %d bytes of %d", name, all.Len(), len(line))
		}
	}
}

// TestSegmentsAgree compares streaming with the library on whole lines.
func TestSegmentsAgree(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	pieces := []string{"a", "bc", " ", "\t", "e\u0301", "\u0301", "👍🏽", "👩‍👩‍👧", "🇩🇪", "🇫🇷🇮", "한", "\u1112\u1161", "\u200d", "क्षि", "\u0007", "≤"}
	for range 300 {
		var line strings.Builder
		for range r.IntN(60) {
			line.WriteString(pieces[r.IntN(len(pieces))])
		}
		want := uniseg.GraphemeClusterCount(line.String())
		from := int64(r.IntN(want + 1))
		s, err := ReadSegment(iotest.OneByteReader(strings.NewReader(line.String()+"\n")), 1, from, 5)
		if line.Len() == 0 {
			s, err = ReadSegment(strings.NewReader("\n"), 1, 0, 5)
		}
		if err != nil || s.Length != int64(want) {
			t.Fatalf("%q: length %d, want %d, %v", line.String(), s.Length, want, err)
		}
		if got := uniseg.GraphemeClusterCount(s.Text); int64(got) != s.To-s.From {
			t.Fatalf("%q from %d: %q", line.String(), from, s.Text)
		}
	}
}

func TestClipClusters(t *testing.T) {
	tests := []struct {
		in      string
		most    int
		want    string
		clipped bool
	}{
		{"", 3, "", false}, {"abc", 3, "abc", false}, {"abcd", 3, "abc", true},
		{"👍🏽👍🏽A", 3, "👍🏽👍🏽A", false}, {"👍🏽👍🏽A", 2, "👍🏽👍🏽", true}, {"a", 0, "", true},
		{"e\u0301", 1, "e\u0301", false},
	}
	for _, tt := range tests {
		if got, clipped := ClipClusters(tt.in, tt.most); got != tt.want || clipped != tt.clipped {
			t.Errorf("%q at %d: %q, %v", tt.in, tt.most, got, clipped)
		}
	}
}
