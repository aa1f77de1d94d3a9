//go:build !windows

package presentation_test

import (
	"fmt"

	"github.com/agent-ls/agent-ls/presentation"
)

// Paths in titles are shown relative to the session's working folder.
func ExampleRelativize() {
	v := &presentation.GenericCall{Title: "Read /w/src/a.go (5 - 20)", Locations: []presentation.FileLocation{{Path: "/w/src/a.go", Line: 5}}}
	fmt.Println(presentation.Relativize(v.Title, presentation.TitlePath(v), "/w"))
	// Output:
	// Read src/a.go (5 - 20)
}
