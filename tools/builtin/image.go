package builtin

import (
	"bytes"
	"fmt"
	"image"
	_ "image/gif" // decoders for image.Decode
	"image/jpeg"
	"image/png"
	"net/http"

	_ "golang.org/x/image/bmp"
	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
)

// Bounds of images for models.
const (
	imageSide   = 2000     // pixels of the longer side (tools.md §2.5.3)
	imagePixels = 50 << 20 // more is not decoded: a small file may hold a huge picture
)

// imageType recognises an image by its first bytes, whatever its name; ""
// for anything else.
func imageType(data []byte) string {
	switch mime := http.DetectContentType(data); mime {
	case "image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp":
		return mime
	}
	return ""
}

// imageBlock is an image as a model gets it: as it is, or scaled down when it
// is too large, or as PNG when models do not take its format.
func (o Options) imageBlock(data []byte, mime string) (presentation.Block, error) {
	if o.ReadImageProcessor != nil {
		return o.ReadImageProcessor(data, mime)
	}
	cfg, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return presentation.Block{}, badImage("the image cannot be read: %v", err)
	}
	if cfg.Width*cfg.Height > imagePixels {
		return presentation.Block{}, badImage("the image has %d×%d pixels, too many to load", cfg.Width, cfg.Height)
	}
	if mime != "image/bmp" && max(cfg.Width, cfg.Height) <= imageSide {
		return presentation.Image(data, mime), nil
	}
	src, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return presentation.Block{}, badImage("the image cannot be read: %v", err)
	}
	return encodeImage(scaleDown(src), mime)
}

// scaleDown keeps the proportions and leaves small images alone.
func scaleDown(src image.Image) image.Image {
	b := src.Bounds()
	longer := max(b.Dx(), b.Dy())
	if longer <= imageSide {
		return src
	}
	dst := image.NewRGBA(image.Rect(0, 0, max(1, b.Dx()*imageSide/longer), max(1, b.Dy()*imageSide/longer)))
	draw.ApproxBiLinear.Scale(dst, dst.Bounds(), src, b, draw.Src, nil)
	return dst
}

func encodeImage(img image.Image, mime string) (presentation.Block, error) {
	var out bytes.Buffer
	if mime == "image/jpeg" {
		if err := jpeg.Encode(&out, img, &jpeg.Options{Quality: 85}); err != nil {
			return presentation.Block{}, err
		}
		return presentation.Image(out.Bytes(), mime), nil
	}
	if err := png.Encode(&out, img); err != nil {
		return presentation.Block{}, err
	}
	return presentation.Image(out.Bytes(), "image/png"), nil
}

func badImage(format string, args ...any) error {
	return &tools.Error{Name: "ImageError", Code: "IMAGE_UNREADABLE", Message: fmt.Sprintf(format, args...),
		Hint: "Use a command to convert or shrink it"}
}
