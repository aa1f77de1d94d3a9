package declared

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agent-ls/agent-ls/presentation"
)

func TestExpand(t *testing.T) {
	const args = `{"name":"Ada","n":1.50,"list":[1,{"a":"<"}],"card":{"title":"T","a.b":2},"x.y":"dotted","lines":" one\n\ttwo\u0007\u200b ","null":null,"":"empty","html":"<b>&"}`
	for _, c := range []struct{ template, want string }{
		{"", ""},
		{"Plain", "Plain"},
		{"Hello {name}!", "Hello Ada!"},
		{"{n} {list}", `1.50 [1,{"a":"<"}]`},
		{"{card.title} {card.a.b} {x.y}", "T 2 dotted"},
		{"{card}", `{"title":"T","a.b":2}`},
		{"{missing} {card.none.deep} {name.x} {list.0}", ""},
		{"<{lines}>", "< one two >"},
		{"{null}", "null"},
		{"{}", "empty"},
		{"{html}", "<b>&"},
		{"{{name}} {{", "{name}} {"},
		{"open {name", "open {name"},
		{"close } {", "close } {"},
		{"{ name }", ""},
		{"{Name}", ""},
	} {
		if got := expand(c.template, []byte(args)); got != c.want {
			t.Errorf("%q gave %q, want %q", c.template, got, c.want)
		}
	}
	for _, args := range []string{"", "null", "[]", "7", `{"a"`, `"{a}"`} {
		if got := expand("x {a}", []byte(args)); got != "x" {
			t.Errorf("%s gave %q", args, got)
		}
	}
}

func TestTitlesAreShort(t *testing.T) {
	args, err := json.Marshal(map[string]string{"a": strings.Repeat("é😀", 5000)})
	if err != nil {
		t.Fatal(err)
	}
	got := expand("{a}{a}", args)
	if utf8.RuneCountInString(got) != maxTitle || !strings.HasSuffix(got, "…") {
		t.Errorf("%d code points", utf8.RuneCountInString(got))
	}
}

func FuzzExpand(f *testing.F) {
	f.Add("{a} {{ {b.c}", `{"a":1,"b":{"c":"x"}}`)
	f.Add("{\xff}", "{\"\xff\":1}")
	f.Add("{{{a}}}", `{"a":"\u2028\ud83d\ude00"}`)
	f.Fuzz(func(t *testing.T, template, args string) {
		got := expand(template, []byte(args))
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > maxTitle || strings.ContainsAny(got, "\n\r\t\x00") {
			t.Fatalf("%q", got)
		}
	})
}

func TestCards(t *testing.T) {
	for _, c := range []struct{ presentation, args, title, kind, input string }{
		{`null`, `{"a":1}`, "t", "other", `{"a":1}`},
		{`{}`, `{}`, "t", "other", `{}`},
		{`{"title":"Open {page}","kind":"fetch"}`, `{"page":"/x","timeoutMs":5}`, "Open /x", "fetch", `{"page":"/x"}`},
		{`{"title":"{page}"}`, `{}`, "t", "other", `{}`},
		{`{"kind":"edit"}`, `not json`, "t", "edit", `not json`},
	} {
		m := mustManifest(t, manifestOf(tool(`"presentation":`+c.presentation)))
		checked, err := m.check(false)
		if err != nil {
			t.Fatal(err)
		}
		card, ok := checked[0].present(json.RawMessage(c.args)).(*presentation.GenericCall)
		if !ok || card.Title != c.title || string(card.Kind) != c.kind || string(card.RawInput) != c.input {
			t.Errorf("%s %s: %+v", c.presentation, c.args, card)
		}
	}
}
