package builtin

import (
	"bytes"
	"encoding/json"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/workspace"
)

// picture is a picture of this size, encoded.
func picture(t *testing.T, kind string, width, height int) string {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, width, height))
	var b bytes.Buffer
	var err error
	switch kind {
	case "png":
		err = png.Encode(&b, img)
	case "jpeg":
		err = jpeg.Encode(&b, img, nil)
	case "gif":
		err = gif.Encode(&b, img, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// webpImage is one pixel, without loss.
const webpImage = "RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"

func TestViewImage(t *testing.T) {
	s := newSession(t, Options{})
	for name, data := range map[string]string{
		"a.png": picture(t, "png", 3, 2), "a.jpg": picture(t, "jpeg", 3, 2), "a.JPEG": picture(t, "jpeg", 3, 2), "a.gif": picture(t, "gif", 3, 2), "a.webp": webpImage,
	} {
		s.write(name, data)
		r := s.call("view_image", args{"file_path": name})
		if r.IsError || len(r.Content) != 2 {
			t.Errorf("%s: %+v", name, r)
			continue
		}
		note, img := r.Content[0], r.Content[1]
		if note.Text != "Image loaded: "+name+"\n" || img.Type != presentation.BlockImage || img.Detail != "auto" || string(img.Data) != data {
			t.Errorf("%s: %q, %s, detail %q, %d bytes", name, note.Text, img.MIMEType, img.Detail, len(img.Data))
		}
		if want := viewImageTypes["."+strings.ToLower(name[2:])]; img.MIMEType != want {
			t.Errorf("%s: %s, want %s", name, img.MIMEType, want)
		}
	}
	if r := s.call("view_image", args{"path": "a.png", "detail": "high"}); r.IsError || r.Content[1].Detail != "high" {
		t.Errorf("%+v", r)
	}
}

func TestViewImageScalesDown(t *testing.T) {
	s := newSession(t, Options{})
	s.write("big.png", picture(t, "png", 3000, 1500))
	r := s.call("view_image", args{"file_path": "big.png"})
	if r.IsError {
		t.Fatal(text(r))
	}
	cfg, _, err := image.DecodeConfig(bytes.NewReader(r.Content[1].Data))
	if err != nil || cfg.Width != 2000 || cfg.Height != 1000 {
		t.Errorf("%d×%d, %v", cfg.Width, cfg.Height, err)
	}
}

// Tools.md §1.15.2.
func TestViewImageFailures(t *testing.T) {
	s := newSession(t, Options{})
	s.write("text.png", "hello")
	s.write("really.jpg", picture(t, "png", 1, 1))
	s.write("a.bmp", "BM")
	s.write("cut.png", picture(t, "png", 10, 10)[:20])
	s.write("ok.png", picture(t, "png", 10, 10))
	s.write("dir.png/x", "")
	cases := []struct {
		args args
		code string
		want string
	}{
		{args{"file_path": "text.png"}, "IMAGE_UNREADABLE", "its content is no image"},
		{args{"file_path": "really.jpg"}, "IMAGE_UNREADABLE", "its content is image/png"},
		{args{"file_path": "a.bmp"}, "IMAGE_UNREADABLE", "Unsupported image type"},
		{args{"file_path": "README"}, "IMAGE_UNREADABLE", "Unsupported image type"},
		{args{"file_path": "cut.png"}, "IMAGE_UNREADABLE", "cannot be read"},
		{args{"file_path": "none.png"}, workspace.FSNotFound, "none.png"},
		{args{"file_path": "dir.png"}, workspace.FSIsDirectory, "dir.png"},
		{args{"file_path": "ok.png", "max_bytes": 10}, workspace.FSTooLarge, "Image too large ("},
		{args{"file_path": "ok.png", "max_bytes": 10485761}, tools.CodeInvalidArgs, "max_bytes"},
		{args{"file_path": "ok.png", "detail": "medium"}, tools.CodeInvalidArgs, "detail"},
		{args{"file_path": ""}, tools.CodeInvalidArgs, "file_path"},
	}
	for _, c := range cases {
		if got := s.fails(c.code, "view_image", c.args); !strings.Contains(got, c.want) {
			t.Errorf("%v: %s", c.args, got)
		}
	}
	s.write("large.png", picture(t, "png", 1, 1)+strings.Repeat("\x00", viewImageBytes))
	if got := s.fails(workspace.FSTooLarge, "view_image", args{"file_path": "large.png"}); !strings.Contains(got, "> 5242880 bytes)") {
		t.Error(got)
	}
}

func TestViewImageCard(t *testing.T) {
	d := ViewImage(Options{})
	v := d.PresentCall(json.RawMessage(`{"file_path":"a/b.png"}`)).(*presentation.GenericCall)
	if v.Title != "View a/b.png" || v.Kind != presentation.KindRead || len(v.Locations) != 1 || v.Locations[0].Path != "a/b.png" {
		t.Errorf("%+v", v)
	}
	access := d.Access(json.RawMessage(`{"file_path":"a/b.png"}`))
	if len(access) != 1 || access[0] != (tools.Access{Kind: tools.AccessRead, Path: "a/b.png"}) {
		t.Errorf("%+v", access)
	}
}
