package proc

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestDecoder(t *testing.T) {
	tests := []struct {
		name   string
		chunks []string
		want   []string // per chunk, then the flush
	}{
		{"plain", []string{"ab", "c"}, []string{"ab", "c", ""}},
		{"three bytes one by one", []string{"\xE2", "\x89", "\xA4!"}, []string{"", "", "≤!", ""}},
		{"four bytes in two", []string{"a\xF0\x9F", "\x91\x8Db"}, []string{"a", "👍b", ""}},
		{"invalid byte", []string{"caf\xE9\n"}, []string{"caf\uFFFD\n", ""}},
		{"one replacement a byte", []string{"\xFF\xFE\xFD"}, []string{"\uFFFD\uFFFD\uFFFD", ""}},
		{"never completed", []string{"x\xE2\x89"}, []string{"x", "\uFFFD\uFFFD"}},
		{"broken by another rune", []string{"\xE2\x89", "a"}, []string{"", "\uFFFD\uFFFDa", ""}},
		{"stray continuations", []string{"\x80\x80\x80\x80"}, []string{"\uFFFD\uFFFD\uFFFD\uFFFD", ""}},
		{"empty chunk keeps the rest", []string{"\xE2", "", "\x89\xA4"}, []string{"", "", "≤", ""}},
		{"surrogate half is invalid", []string{"\xED\xA0\x80"}, []string{"\uFFFD\uFFFD\uFFFD", ""}},
		{"a real replacement character stays", []string{"\uFFFD"}, []string{"\uFFFD", ""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var d decoder
			for i, c := range tt.chunks {
				if got := d.decode([]byte(c)); got != tt.want[i] {
					t.Errorf("chunk %d: %q, want %q", i, got, tt.want[i])
				}
			}
			if got := d.flush(); got != tt.want[len(tt.want)-1] {
				t.Errorf("flush: %q", got)
			}
		})
	}
}

// FuzzDecoder checks that chunk borders do not matter and that the text is
// always valid.
func FuzzDecoder(f *testing.F) {
	f.Add([]byte("≤ 你 👍🏽 caf\xE9"), uint8(1))
	f.Add([]byte("\xF0\x9F\x91"), uint8(2))
	f.Add([]byte("\xE2\x89\xE2\x89\xA4"), uint8(3))
	f.Fuzz(func(t *testing.T, data []byte, size uint8) {
		var d decoder
		var got strings.Builder
		step := int(size)%7 + 1
		for i := 0; i < len(data); i += step {
			got.WriteString(d.decode(append([]byte(nil), data[i:min(i+step, len(data))]...)))
		}
		got.WriteString(d.flush())
		if want := validUTF8(data); got.String() != want {
			t.Fatalf("got %q, want %q", got.String(), want)
		}
		if !utf8.ValidString(got.String()) {
			t.Fatalf("%q is not valid UTF-8", got.String())
		}
	})
}
