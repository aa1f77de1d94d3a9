package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/agent-ls/agent-ls/"

// allowed says which rooms each room may import directly (docs/design/architecture.md).
// A trailing "/..." stands for a room and those inside it. cmd/agent-ls wires
// everything and may import all.
var allowed = map[string][]string{
	"workspace/diff":       {},
	"presentation":         {"workspace/diff"},
	"workspace/review":     {"workspace/diff", "internal/filelock"},
	"workspace":            {"workspace/diff", "workspace/review"},
	"tools/schema":         {},
	"tools/proc":           {},
	"tools/confine":        {"tools/proc"},
	"tools/cache":          {"presentation"},
	"tools":                {"tools/schema", "presentation", "tools/cache"},
	"tools/permission":     {"tools", "workspace", "internal/filelock", "internal/nearest"},
	"tools/declared":       {"tools", "tools/schema", "presentation"},
	"tools/builtin/match":  {"workspace/diff"},
	"tools/builtin/patch":  {"workspace/diff", "tools/builtin/match"},
	"tools/builtin/search": {},
	"tools/builtin":        {"tools", "tools/schema", "tools/proc", "tools/cache", "tools/permission", "tools/builtin/...", "workspace/...", "presentation"},
	"agent":                {"tools", "tools/permission", "tools/cache", "tools/declared", "tools/proc", "workspace/...", "presentation", "internal/filelock"},
	"agent/direct":         {"agent", "tools", "tools/schema", "presentation", "internal/nearest"},
	"agent/script":         {"agent", "tools", "tools/schema", "presentation"},
	"agent/provider":       {"agent", "presentation"},
	"agent/openai":         {"agent", "agent/provider", "tools", "presentation"},
	"agent/anthropic":      {"agent", "agent/provider", "tools", "presentation"},
	"internal/modelserver": {},
	"acp":                  {"internal/rpc"},
	"acp/editor":           {"acp", "workspace/...", "tools/proc"},
	"acp/content":          {"acp", "presentation"},
	"acp/host":             {"acp", "acp/content", "agent", "tools", "tools/proc", "presentation", "workspace", "workspace/diff"},
	"acp/agent":            {"acp", "acp/content", "acp/editor", "agent", "presentation", "tools/permission"},
	"lsp":                  {"lsp/...", "internal/rpc", "agent", "workspace/...", "tools/permission", "presentation"},
	"lsp/text":             {"workspace/diff"},
	"lsp/watch":            {},
	"internal/terminal":    {"agent", "presentation"},
	"internal/config":      {"internal/nearest"},
	"internal/filelock":    {},
	"internal/nearest":     {},
	"internal/join":        {"internal/filelock"},
	"internal/mcpserver":   {"agent", "tools", "presentation"},
	"internal/rpc":         {},
	"internal/mcp":         {"agent", "tools", "tools/schema", "tools/proc", "presentation"},
	"internal/replay":      {"acp", "tools/proc", "workspace/diff"},
	"acp/conformance":      {"acp"},
}

// TestImportDirection keeps the arrows of the architecture: it fails for an
// import that the table does not allow and for a room that it does not know.
func TestImportDirection(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		room := strings.TrimPrefix(p.ImportPath, module)
		if strings.HasPrefix(room, "cmd/") || strings.HasPrefix(room, "bench") {
			continue
		}
		may, known := allowed[room]
		if !known {
			t.Errorf("package %s is in no row of the table of import directions", room)
			continue
		}
		for _, i := range p.Imports {
			if other, ours := strings.CutPrefix(i, module); ours && !covers(may, other) {
				t.Errorf("%s imports %s, which its row does not allow", room, other)
			}
		}
	}
}

// covers says whether a row allows an import.
func covers(row []string, room string) bool {
	return slices.ContainsFunc(row, func(r string) bool {
		tree, all := strings.CutSuffix(r, "/...")
		return r == room || all && (room == tree || strings.HasPrefix(room, tree+"/"))
	})
}
