package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestToolsJSON checks the form of "tools --json": name, description,
// parameters and nothing else, sorted, each with text for a model.
func TestToolsJSON(t *testing.T) {
	h := newHome(t)
	out, code := h.output(t, "tools", "--json")
	var list []map[string]any
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != 0 {
		t.Fatalf("exit code %d: %v", code, err)
	}
	var names []string
	for _, tool := range list {
		var keys []string
		for key := range tool {
			keys = append(keys, key)
		}
		sort.Strings(keys)
		if !slices.Equal(keys, []string{"description", "name", "parameters"}) {
			t.Errorf("%v has the keys %v", tool["name"], keys)
		}
		parameters, _ := tool["parameters"].(map[string]any)
		if parameters["type"] != "object" {
			t.Errorf("%v: parameters are %v", tool["name"], tool["parameters"])
		}
		if text, _ := tool["description"].(string); strings.TrimSpace(text) == "" {
			t.Errorf("%v has no description", tool["name"])
		}
		names = append(names, tool["name"].(string))
	}
	if len(names) == 0 || !sort.StringsAreSorted(names) {
		t.Errorf("the names are %v", names)
	}
}

// TestEveryCommandHasAnExample: what to type is read sooner than what it does.
func TestEveryCommandHasAnExample(t *testing.T) {
	var look func(*cobra.Command)
	look = func(cmd *cobra.Command) {
		if cmd.Name() == "completion" { // cobra's own
			return
		}
		if !strings.Contains(cmd.Example, "  agent-ls ") {
			t.Errorf("%q has no example", cmd.CommandPath())
		}
		for _, below := range cmd.Commands() {
			look(below)
		}
	}
	look(rootCommand(streams{}))
}

// tree lists everything below a folder.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		found = append(found, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestDemoLeavesNothing runs the demonstration and looks for traces: in the
// home folder, the temporary folder and the working folder.
func TestDemoLeavesNothing(t *testing.T) {
	h := newHome(t)
	before := tree(t, h.dir)
	cmd := h.command(t, "demo")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, logTo(t)
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, out.Bytes())
	}
	if after := tree(t, h.dir); !slices.Equal(before, after) {
		t.Errorf("the demonstration left\n%s\nwhere there was\n%s", strings.Join(after, "\n"), strings.Join(before, "\n"))
	}
}
