package presentation_test

import (
	"fmt"
	"time"

	"github.com/agent-ls/agent-ls/presentation"
)

// A front end switches over the views; it never looks at the tool's name.
func Example() {
	show := func(v presentation.CallView) {
		fmt.Print(presentation.Icon(presentation.CallKind(v)), " ")
		switch v := v.(type) {
		case *presentation.GenericCall:
			fmt.Println(v.Title)
		case *presentation.TerminalCall:
			fmt.Println(v.Title)
		case *presentation.DiffCall:
			fmt.Println(v.Title)
			for _, d := range v.Diffs {
				fmt.Printf("%s:%d\n-%s\n+%s\n", d.Path, d.Line, *d.OldText, d.NewText)
			}
		}
	}
	show(&presentation.GenericCall{Title: "Read src/a.go", Kind: presentation.KindRead})
	show(&presentation.TerminalCall{Title: "go test ./..."})
	show(&presentation.DiffCall{Title: "Edit a.txt", Diffs: presentation.Hunks("a.txt", "one\n", "two\n", true)})
	// Output:
	// → Read src/a.go
	// $ go test ./...
	// ± Edit a.txt
	// a.txt:1
	// -one
	// +two
}

// Views keep their type in JSON by the tag "card"; a tag of another version
// becomes a generic card.
func ExampleUnmarshalCallView() {
	data, err := presentation.MarshalCallView(&presentation.TerminalCall{Title: "make", Cwd: "/w"})
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(string(data))
	view, err := presentation.UnmarshalCallView([]byte(`{"card":"hologram","title":"Look"}`))
	fmt.Printf("%T %v %v\n", view, view.(*presentation.GenericCall).Title, err)
	// Output:
	// {"card":"terminal","title":"make","cwd":"/w"}
	// *presentation.GenericCall Look <nil>
}

// A tool that edits keeps its diffs with the result, within bounds, and gets
// the same card from them on replay.
func ExampleDiffMeta() {
	diffs, omitted := presentation.Bound(presentation.Hunks("a.txt", "one\n", "two\n", true), presentation.DiffLimit)
	meta, err := presentation.DiffMeta{Diffs: diffs, Omitted: omitted}.Encode()
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(string(meta))
	again, ok := presentation.ParseDiffMeta(meta)
	fmt.Println(presentation.Locations(again.Diffs), ok)
	// Output:
	// {"diffs":[{"path":"a.txt","oldText":"one","newText":"two","line":1}]}
	// [{a.txt 1}] true
}

// Clients that have no terminal get a command's output as a fenced block.
func ExampleConsoleFence() {
	fmt.Println(presentation.ConsoleFence("10%\r100%\n\x1b[32mok\x1b[0m\n"))
	// Output:
	// ```console
	// 100%
	// ok
	// ```
}

// A front end tells a Follow what happens and asks it what to reveal.
func ExampleFollow() {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var follow presentation.Follow
	follow.Set(true)
	for i, path := range []string{"a.go", "b.go", "c.go"} {
		follow.Locate([]presentation.FileLocation{{Path: path, Line: i + 1}})
		if at, ok := follow.Next(now); ok {
			fmt.Println("reveal", at.Path)
		}
	}
	if due, ok := follow.Due(); ok {
		fmt.Println("wait", due.Sub(now))
		at, _ := follow.Next(due)
		fmt.Println("reveal", at.Path)
	}
	// Output:
	// reveal a.go
	// wait 250ms
	// reveal c.go
}
