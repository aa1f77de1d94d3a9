package proc

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
)

// spillFile is a spill in memory that can fail.
type spillFile struct {
	bytes.Buffer
	failWrite, failClose bool
	closed               int
}

func (f *spillFile) Write(p []byte) (int, error) {
	if f.failWrite {
		return 0, errors.New("disk full")
	}
	return f.Buffer.Write(p)
}

func (f *spillFile) Close() error {
	f.closed++
	if f.failClose {
		return errors.New("close failed")
	}
	return nil
}

func TestCapture(t *testing.T) {
	tests := []struct {
		name   string
		file   *spillFile
		noFile bool // the spill cannot be opened
		chunks []string
		want   Captured
		spill  string
	}{
		{"small", &spillFile{}, false, []string{"abc"}, Captured{Text: "abc", Total: 3}, ""},
		{"at the cap", &spillFile{}, false, []string{"abcd", "efgh"}, Captured{Text: "abcdefgh", Total: 8}, ""},
		{"over it", &spillFile{}, false, []string{"abcd", "efgh", "i", "j"}, Captured{Text: "cdefghij", Total: 10, Truncated: true, Ref: "ref"}, "abcdefghij"},
		{"raw bytes are spilled", &spillFile{}, false, []string{"\xFFabcd", "efghij"}, Captured{Text: "cdefghij", Total: 11, Truncated: true, Ref: "ref"}, "\xFFabcdefghij"},
		{"replacements reach the cap", &spillFile{}, false, []string{"\xFF\xFF\xFF"}, Captured{Text: "\uFFFD\uFFFD", Total: 3, Truncated: true, Ref: "ref"}, "\xFF\xFF\xFF"},
		{"split rune at the end", &spillFile{}, false, []string{"abcdefg\xE2\x89"}, Captured{Text: "fg\uFFFD\uFFFD", Total: 9, Truncated: true, Ref: "ref"}, "abcdefg\xE2\x89"},
		{"cannot open", nil, true, []string{"0123456789"}, Captured{Text: "23456789", Total: 10, Truncated: true}, ""},
		{"no spill wanted", nil, false, []string{"0123456789"}, Captured{Text: "23456789", Total: 10, Truncated: true}, ""},
		{"write fails", &spillFile{failWrite: true}, false, []string{"0123456789", "x"}, Captured{Text: "3456789x", Total: 11, Truncated: true}, ""},
		{"close fails", &spillFile{failClose: true}, false, []string{"0123456789"}, Captured{Text: "23456789", Total: 10, Truncated: true}, "0123456789"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			opened := 0
			c := Command{Keep: 8}
			if tt.file != nil || tt.noFile {
				c.Spill = func(stream string) (io.WriteCloser, string, error) {
					opened++
					if tt.noFile {
						return nil, "", errors.New("read-only")
					}
					return tt.file, "ref", nil
				}
			}
			var shown strings.Builder
			s := newCapture(StreamStdout, c, func(text string) { shown.WriteString(text) }, slog.New(slog.DiscardHandler))
			for _, chunk := range tt.chunks {
				s.write([]byte(chunk))
			}
			if got := s.finish(); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
			if want := validUTF8([]byte(strings.Join(tt.chunks, ""))); shown.String() != want {
				t.Errorf("shown %q, want %q", shown.String(), want)
			}
			if opened > 1 {
				t.Errorf("spill opened %d times", opened)
			}
			if tt.file != nil {
				if tt.file.String() != tt.spill {
					t.Errorf("spilled %q, want %q", tt.file.String(), tt.spill)
				}
				if tt.want.Truncated && tt.file.closed != 1 {
					t.Errorf("spill closed %d times", tt.file.closed)
				}
			}
		})
	}
}
