package presentation

import "testing"

func TestBeyond(t *testing.T) {
	for _, tt := range []struct{ name, text, shown, want string }{
		{"nothing was shown", "out\nError: aborted", "", "out\nError: aborted"},
		{"all but the error was shown", ConsoleFence("one\ntwo\nError: aborted\n"), "one\ntwo\n", "Error: aborted"},
		{"half a line was shown", "one\ntw\nError: aborted", "one\ntw", "Error: aborted"},
		{"a line that comes twice", "a\nb\na\nError: aborted", "a\nb\na\n", "Error: aborted"},
		{"colours", "red\nError: aborted", "\x1b[31mred\x1b[0m\n", "Error: aborted"},
		{"another text", "Error: denied", "one\n", "Error: denied"},
		{"nothing but what was shown", "one", "one\n", ""},
		{"a fence in the output", ConsoleFence("```\nx\n```\nError: aborted"), "```\nx\n```\n", "Error: aborted"},
	} {
		if got := Beyond(tt.text, tt.shown); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func FuzzUnfence(f *testing.F) {
	for _, s := range []string{"", "x", "```", "```console\nx\n```", "a\n````\nb", "`"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want := StripANSI(s)
		for len(want) > 0 && want[len(want)-1] == '\n' {
			want = want[:len(want)-1]
		}
		if got := Unfence(ConsoleFence(s)); got != want {
			t.Errorf("%q came back as %q", want, got)
		}
		if got := Unfence(s); len(got) > len(s) { // and it never panics
			t.Errorf("%q from %q", got, s)
		}
	})
}
