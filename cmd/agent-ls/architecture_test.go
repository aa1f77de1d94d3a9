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
	for _, f := range parseDir(t, dir) {
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

func parseDir(t *testing.T, dir string) []*ast.File {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, path := range paths {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

// codeName matches what the document's text names of the code: a name, or a
// method with its type.
var codeName = regexp.MustCompile("`([A-Z][A-Za-z]+|[A-Z][A-Za-z]*\\.[A-Za-z]+)`")

// TestArchitectureNames checks that what the document's walks name is in the
// code: types, functions, methods, fields.
func TestArchitectureNames(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, architecture))
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	declared := map[string]bool{}
	for dir := range strings.Lines(string(out)) {
		for _, f := range parseDir(t, strings.TrimSpace(dir)) {
			ast.Inspect(f, func(n ast.Node) bool { declare(declared, n); return true })
		}
	}
	found := codeName.FindAllStringSubmatch(string(text), -1)
	if len(found) < 50 {
		t.Errorf("the document names only %d things", len(found))
	}
	for _, m := range found {
		if !declared[m[1]] {
			t.Errorf("%s names %s, which is not in the code", architecture, m[1])
		}
	}
}

// declare notes the names that a node declares, methods also with their type.
func declare(names map[string]bool, n ast.Node) {
	switch n := n.(type) {
	case *ast.FuncDecl:
		names[n.Name.Name] = true
		if n.Recv != nil {
			names[receiver(n.Recv.List[0].Type)+"."+n.Name.Name] = true
		}
	case *ast.TypeSpec:
		names[n.Name.Name] = true
	case *ast.Field:
		for _, name := range n.Names {
			names[name.Name] = true
		}
	}
}

// receiver is the name of a method's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
