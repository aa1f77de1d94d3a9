package agent

import (
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/presentation"
)

func TestTheFirstPromptIsTheTitle(t *testing.T) {
	long := strings.Repeat("wörd ", 40)
	for _, tc := range []struct {
		name   string
		prompt []presentation.Block
		want   string
	}{
		{"first line", prompt("one\ntwo"), "one"},
		{"blank lines and space", prompt("\n \t\n  fix \t it \n"), "fix it"},
		{"second block", []presentation.Block{presentation.Text(""), presentation.Text("x")}, "x"},
		{"80 runes", prompt(long), string([]rune(long)[:79]) + "…"},
		{"a link alone", []presentation.Block{{Type: presentation.BlockLink, Name: "a.go", URI: "file:///a.go"}}, "a.go"},
		{"a resource alone", []presentation.Block{{Type: presentation.BlockResource, URI: "file:///a.go"}}, "file:///a.go"},
		{"an image", []presentation.Block{presentation.Image(nil, "image/png")}, ""},
	} {
		w := newWorld(t, model())
		s := w.session()
		if _, err := s.Prompt(t.Context(), tc.prompt); err != nil {
			t.Fatal(err)
		}
		w.run(s, "second prompt", EndTurn)
		want := tc.want
		if want == "" {
			want = "second prompt"
		}
		if got := s.Info().Title; got != want {
			t.Errorf("%s: title %q, want %q", tc.name, got, want)
		}
		if n := len(eventsOf[TitleChanged](w.sink.all())); n != 1 {
			t.Errorf("%s: %d titles", tc.name, n)
		}
	}
}
