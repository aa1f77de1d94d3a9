package builtin

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/workspace"
)

//go:embed write.md
var writeDescription string

// WriteArgs are the parameters of write.
type WriteArgs struct {
	FilePath     string `json:"file_path" desc:"Path of the file."`
	Content      string `json:"content" desc:"The whole new content."`
	ExpectedHash string `json:"expected_hash,omitempty" pattern:"^[0-9a-f]{64}$" desc:"content_sha256 that the file must have."`
}

// Write returns the write tool (tools.md §1.8, §2.6).
func Write(o Options) *tools.Definition {
	return tools.Define(tools.Spec[WriteArgs]{
		Name: "write", Label: "Write", Description: writeDescription, Source: tools.SourceBuiltin,
		// Another change of the same batch is planned on what this one leaves.
		Mode:    tools.Sequential,
		Prepare: prepareFile(nil),
		Access:  func(a WriteArgs) []tools.Access { return changeAccess(false, a.FilePath) },
		Plan: func(ctx context.Context, a WriteArgs, tc *tools.Context) (*tools.Plan, error) {
			return planOf(prepareWriting(ctx, a, tc))
		},
		Execute: func(ctx context.Context, a WriteArgs, tc *tools.Context) (tools.Result, error) {
			return executeChange(ctx, tc, "write", func() (*prepared, error) { return prepareWriting(ctx, a, tc) })
		},
		// The arguments do not say whether the file exists, so the diff comes
		// with the plan.
		PresentCall: func(a WriteArgs) presentation.CallView {
			return &presentation.DiffCall{Title: "Write " + a.FilePath, Diffs: []presentation.FileDiff{},
				Locations: []presentation.FileLocation{{Path: a.FilePath}}}
		},
		PresentResult: func(_ WriteArgs, r tools.Result) presentation.ResultView { return presentChanged(r) },
	})
}

func prepareWriting(ctx context.Context, a WriteArgs, tc *tools.Context) (*prepared, error) {
	v, err := tools.Resolve(ctx, tc, Files)
	if err != nil {
		return nil, err
	}
	h, err := openForChange(ctx, v, a.FilePath)
	if err != nil {
		return nil, err
	}
	if err := checkHash(a.FilePath, a.ExpectedHash, h); err != nil {
		return nil, err
	}
	if h.Exists && a.ExpectedHash == "" {
		if err := v.CheckText(h); err != nil {
			return nil, err
		}
	}
	p := &prepared{title: "Write " + a.FilePath, names: []changeName{{path: a.FilePath}}, exact: a.ExpectedHash != ""}
	p.summary = fmt.Sprintf("Wrote %d bytes to %s", len(a.Content), a.FilePath)
	p.noDiff = headerOnly(a.FilePath, h.Exists)
	if h.Exists && h.Content() == a.Content {
		p.summary += " (it held just that already)"
	} else {
		p.changes = []workspace.Change{wholeFile(h, a.Content)}
	}
	p.details = map[string]any{"summary": p.summary, "path": a.FilePath, "file_path": a.FilePath, "bytesWritten": len(a.Content)}
	return p, nil
}

// headerOnly is the diff of a write that changes no line (tools.md §1.8.1).
func headerOnly(path string, existed bool) string {
	old := path
	if !existed {
		old = nullFile
	}
	return fmt.Sprintf("--- %s\n+++ %s\n@@ -0,0 +0,0 @@", old, path)
}
