package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const architecture = "docs/design/architecture.md"

// roomRow matches a row of the document's table of rooms: the package, and the
// names in its third column.
var (
	roomRow = regexp.MustCompile("(?m)^\\| `([a-z/-]+)` \\|[^|]*\\|([^|]*)\\|[^|]*\\|$")
	quoted  = regexp.MustCompile("`([A-Za-z]+)`")
)

// TestArchitectureImports keeps the table of imports in step with allowed.
func TestArchitectureImports(t *testing.T) {
	table := "| package | imports |\n|---|---|\n"
	for _, room := range slices.Sorted(maps.Keys(allowed)) {
		imports := make([]string, len(allowed[room]))
		for i, other := range allowed[room] {
			imports[i] = "`" + other + "`"
		}
		if len(imports) == 0 {
			imports = []string{"nothing of ours"}
		}
		table += fmt.Sprintf("| `%s` | %s |\n", room, strings.Join(imports, ", "))
	}
	generated(t, architecture, "imports", table)
}

// TestArchitectureRooms checks that the document has every package of the tree
// and no other, and that the names it gives of them exist.
func TestArchitectureRooms(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, architecture))
	if err != nil {
		t.Fatal(err)
	}
	described := map[string][]string{}
	for _, m := range roomRow.FindAllStringSubmatch(string(text), -1) {
		described[m[1]] = nil
		for _, name := range quoted.FindAllStringSubmatch(m[2], -1) {
			described[m[1]] = append(described[m[1]], name[1])
		}
	}
	out, err := exec.Command("go", "list", module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for path := range strings.Lines(string(out)) {
		room := strings.TrimPrefix(strings.TrimSpace(path), module)
		names, ok := described[room]
		if !ok {
			t.Errorf("%s does not describe the package %s", architecture, room)
			continue
		}
		delete(described, room)
		have := exported(t, filepath.Join(root, room))
		for _, name := range names {
			if !have[name] {
				t.Errorf("%s names %s of %s, which is not there", architecture, name, room)
			}
		}
	}
	for room := range described {
		t.Errorf("%s describes the package %s, which is not there", architecture, room)
	}
}

// exported returns the exported names that the files of a folder declare, for
// any system.
func exported(t *testing.T, dir string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				names[d.Name.Name] = names[d.Name.Name] || d.Recv == nil
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if s, ok := spec.(*ast.TypeSpec); ok {
						names[s.Name.Name] = true
					}
				}
			}
		}
	}
	return names
}
