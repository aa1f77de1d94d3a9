package builtin

import (
	"bytes"
	"encoding/json"
	"image"
	"strings"
	"testing"

	"golang.org/x/image/bmp"

	"github.com/agent-ls/agent-ls/presentation"
)

// TestReadImages: an image is what its bytes say, not its name (tools.md
// §2.5.3).
func TestReadImages(t *testing.T) {
	var bitmap bytes.Buffer
	if err := bmp.Encode(&bitmap, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	s := newSession(t, Options{})
	for _, tt := range []struct{ name, data, mime string }{
		{"a.png", picture(t, "png", 3, 2), "image/png"},
		{"noextension", picture(t, "jpeg", 3, 2), "image/jpeg"},
		{"wrong.txt", picture(t, "gif", 3, 2), "image/gif"},
		{"a.webp", webpImage, "image/webp"},
		{"a.bmp", bitmap.String(), "image/png"}, // models do not take bitmaps
		{"large.png", picture(t, "png", 2400, 30), "image/png"},
	} {
		s.write(tt.name, tt.data)
		r := s.call("read", args{"file_path": tt.name})
		if r.IsError || len(r.Content) != 2 {
			t.Errorf("%s: %+v", tt.name, r)
			continue
		}
		note, img := r.Content[0].Text, r.Content[1]
		if !strings.HasPrefix(note, "Image loaded: "+tt.name+" (image/") || !strings.HasSuffix(note, "[read_metadata] content_sha256="+hash(tt.data)) {
			t.Errorf("%s: %q", tt.name, note)
		}
		cfg, _, err := image.DecodeConfig(bytes.NewReader(img.Data))
		if img.Type != presentation.BlockImage || img.MIMEType != tt.mime || err != nil || max(cfg.Width, cfg.Height) > imageSide {
			t.Errorf("%s: %s %s, %d×%d, %v", tt.name, img.Type, img.MIMEType, cfg.Width, cfg.Height, err)
		}
	}
	for name, data := range map[string]string{"text.png": "no picture\n", "words": "BMI is no bitmap\n", "GIF": "GIF89a is a format\n"} {
		s.write(name, data)
		if got := s.ok("read", args{"file_path": name}); !strings.HasPrefix(got, "1: "+data) {
			t.Errorf("%s: %q", name, got)
		}
	}
	s.write("broken.png", picture(t, "png", 3, 2)[:20])
	if got := s.fails("IMAGE_UNREADABLE", "read", args{"file_path": "broken.png"}); !strings.Contains(got, "cannot be read") {
		t.Errorf("%q", got)
	}
	processed := newSession(t, Options{ReadImageProcessor: func(data []byte, mime string) (presentation.Block, error) {
		return presentation.Text(mime + " seen"), nil
	}})
	processed.write("a.png", picture(t, "png", 3, 2))
	if got := processed.ok("read", args{"file_path": "a.png"}); !strings.HasSuffix(got, "image/png seen") {
		t.Errorf("%q", got)
	}
}

// TestReadDetails: seed 001's structured side of a read.
func TestReadDetails(t *testing.T) {
	s := newSession(t, Options{ReadMaxLines: 10})
	s.write("f", numbered(30, "\n"))
	for _, tt := range []struct {
		args args
		read int
	}{
		{args{"file_path": "f"}, 10},
		{args{"file_path": "f", "start_line": 3, "end_line": 5}, 3},
		{args{"file_path": "f", "start_line": 28, "end_line": 99}, 3},
		{args{"file_path": "f", "start_line": 30, "limit": 5}, 1},
	} {
		r := s.call("read", tt.args)
		var got readDetails
		if err := json.Unmarshal(r.Details, &got); err != nil || got.Path != "f" || got.LinesRead != tt.read || got.Lines != 30 || got.SHA256 != hash(numbered(30, "\n")) {
			t.Errorf("%v: %+v, %v", tt.args, got, err)
		}
	}
	s.fails("INVALID_ARGS", "read", args{"file_path": "f", "limit": 11})
}
