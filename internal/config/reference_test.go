package config

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the reference in docs/configuration.md")

// The reference in the documentation is the one that the table gives.
func TestDocumentationHasTheReference(t *testing.T) {
	const begin, end = "<!-- reference:begin -->\n", "<!-- reference:end -->"
	file := filepath.Join("..", "..", "docs", "configuration.md")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(data), begin)
	old, tail, okEnd := strings.Cut(rest, end)
	if !ok || !okEnd {
		t.Fatalf("%s has no reference section", file)
	}
	if *update {
		if err := os.WriteFile(file, []byte(head+begin+Reference()+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if old != Reference() {
		t.Errorf("%s is out of step with the table of keys; run the tests of this package with -update", file)
	}
}

func TestEveryKeyIsDeclaredSoundly(t *testing.T) {
	names, flags, variables := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, k := range Keys() {
		if names[k.Name] || k.Flag != "" && flags[k.Flag] || k.Env() != "" && variables[k.Env()] {
			t.Errorf("%s: name, flag or variable is taken", k.Name)
		}
		names[k.Name], flags[k.Flag], variables[k.Env()] = true, true, true
		if k.Doc == "" || k.Default == "" || !strings.HasSuffix(strings.TrimSuffix(k.Doc, "`"), ".") && !strings.HasSuffix(k.Doc, ".") {
			t.Errorf("%s: doc %q, default %q", k.Name, k.Doc, k.Default)
		}
		if (k.Flag == "") != (k.Arg == "") {
			t.Errorf("%s: flag %q with placeholder %q", k.Name, k.Flag, k.Arg)
		}
		if (k.Kind == Choice) != (len(k.Values) > 0) {
			t.Errorf("%s: kind %s with values %v", k.Name, k.Kind, k.Values)
		}
		if k.Name != snake(k.Name) {
			t.Errorf("%s is not in snake case", k.Name)
		}
	}
}
