package builtin

import (
	"context"
	_ "embed"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/workspace"
)

//go:embed viewimage.md
var viewImageDescription string

// ViewImageArgs are the parameters of view_image.
type ViewImageArgs struct {
	FilePath string `json:"file_path" minLength:"1" desc:"Path of the image."`
	Detail   string `json:"detail,omitempty" enum:"auto,low,high" desc:"How closely to look, auto by default."`
	MaxBytes int64  `json:"max_bytes,omitzero" min:"1" max:"10485760" desc:"Largest file to load, 5242880 by default."`
}

// viewImageBytes is the limit of calls that give none (tools.md §1.15.1).
const viewImageBytes = 5 << 20

// viewImageTypes are the types by extension.
var viewImageTypes = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp", ".gif": "image/gif",
}

// ViewImage returns the view_image tool (seed 000 §7.9; tools.md §1.15).
func ViewImage(o Options) *tools.Definition {
	return tools.Define(tools.Spec[ViewImageArgs]{
		Name: "view_image", Label: "View image", Description: viewImageDescription, Source: tools.SourceBuiltin,
		Prepare: prepareFile(map[string]string{"maxBytes": "max_bytes"}),
		Access: func(a ViewImageArgs) []tools.Access {
			return []tools.Access{{Kind: tools.AccessRead, Path: a.FilePath}}
		},
		Execute: func(ctx context.Context, a ViewImageArgs, tc *tools.Context) (tools.Result, error) {
			return o.viewImage(ctx, a, tc)
		},
		PresentCall: func(a ViewImageArgs) presentation.CallView {
			return &presentation.GenericCall{
				Title: "View " + a.FilePath, Kind: presentation.KindRead, RawInput: rawString(a.FilePath),
				Locations: []presentation.FileLocation{{Path: a.FilePath}},
			}
		},
	})
}

func (o Options) viewImage(ctx context.Context, a ViewImageArgs, tc *tools.Context) (tools.Result, error) {
	v, err := tools.Resolve(ctx, tc, Files)
	if err != nil {
		return tools.Result{}, err
	}
	want := viewImageTypes[strings.ToLower(filepath.Ext(a.FilePath))]
	if want == "" {
		return tools.Result{}, badImage("Unsupported image type: %s (png, jpeg, webp and gif can be viewed)", a.FilePath)
	}
	data, err := imageData(ctx, v, a)
	if err != nil {
		return tools.Result{}, err
	}
	if is := imageType(data); is != want {
		if is == "" {
			is = "no image"
		}
		return tools.Result{}, badImage("%s is named as %s, but its content is %s", a.FilePath, want, is)
	}
	block, err := o.imageBlock(data, want)
	if err != nil {
		return tools.Result{}, err
	}
	block.Detail = a.Detail
	if block.Detail == "" {
		block.Detail = "auto"
	}
	r := tools.Result{Content: []presentation.Block{presentation.Text("Image loaded: " + a.FilePath + "\n"), block}}
	r.Details = mustJSON(map[string]any{"path": a.FilePath, "mimeType": block.MIMEType, "bytes": len(data)})
	return r, nil
}

// imageData reads the file, if it is not too large.
func imageData(ctx context.Context, v *workspace.View, a ViewImageArgs) ([]byte, error) {
	limit := a.MaxBytes
	if limit == 0 {
		limit = viewImageBytes
	}
	tooLarge := func(size int64) error {
		return &workspace.Error{Code: workspace.FSTooLarge, Path: a.FilePath,
			Message: fmt.Sprintf("Image too large (%d bytes > %d bytes)", size, limit),
			Hint:    "Use a larger max_bytes, or a command to shrink it"}
	}
	if e, err := v.Stat(a.FilePath); err == nil && !e.Dir && e.Info != nil && e.Info.Size() > limit {
		return nil, tooLarge(e.Info.Size())
	}
	h, err := v.Open(ctx, a.FilePath)
	if err != nil {
		return nil, err
	}
	if !h.Exists {
		return nil, notFound(a.FilePath)
	}
	if size := int64(len(h.Content())); size > limit {
		return nil, tooLarge(size)
	}
	return []byte(h.Content()), nil
}
