package tools_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestPageShowsTheExamples: each code block of docs/tools.md is the source of
// an Example of this package, and no Example is left out.
func TestPageShowsTheExamples(t *testing.T) {
	page := readText(t, "../docs/tools.md")
	source := readText(t, "example_test.go")
	shown := map[string]bool{}
	for _, m := range regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(page, -1) {
		block := m[1]
		name, _, _ := strings.Cut(strings.TrimPrefix(block, "func "), "(")
		if !strings.HasPrefix(name, "Example") || !strings.Contains(source, "\n"+block) {
			t.Errorf("no Example has this source:\n%s", block)
		}
		shown[name] = true
	}
	for _, m := range regexp.MustCompile(`(?m)^func (Example\w*)\(\)`).FindAllStringSubmatch(source, -1) {
		if !shown[m[1]] {
			t.Errorf("docs/tools.md does not show %s", m[1])
		}
	}
}

// readText reads a file with the line endings that the repository has.
func readText(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(data), "\r\n", "\n")
}
