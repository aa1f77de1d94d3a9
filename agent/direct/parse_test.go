package direct

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/schema"
)

// object returns a schema with string properties; required ones end in "!",
// numbers in "#".
func object(names ...string) *schema.Schema {
	s := &schema.Schema{Type: "object"}
	for _, n := range names {
		typ := "string"
		if name, ok := strings.CutSuffix(n, "#"); ok {
			n, typ = name, "integer"
		}
		if name, ok := strings.CutSuffix(n, "!"); ok {
			n = name
			s.Required = append(s.Required, n)
		}
		s.Properties = append(s.Properties, schema.Property{Name: n, Schema: &schema.Schema{Type: typ}})
	}
	return s
}

var offered = []tools.ToolSchema{
	{Name: "read", Parameters: object("start_line#", "file_path!")},
	{Name: "grep", Parameters: object("glob", "pattern!", "path")},
	{Name: "ls", Parameters: object("limit#", "path")},
	{Name: "bash", Parameters: object("command!", "description")},
	{Name: "count", Parameters: object("n!#")},
	{Name: "mcp.tool-x", Parameters: object("q")},
	{Name: "none"},
}

// one is a batch of one call.
func one(name, arguments string) []call { return []call{{name, arguments}} }

func TestParse(t *testing.T) {
	for _, tc := range []struct {
		name, program string
		want          [][]call
	}{
		{"nothing", "", nil},
		{"blank lines", "\n \n\t\n", nil},
		{"text", "please read a.txt", nil},
		{"one call", `/read {"file_path":"a"}`, [][]call{one("read", `{"file_path":"a"}`)}},
		{"alone", "/ls", [][]call{one("ls", "{}")}},
		{"alone, with space", "/ls  \t", [][]call{one("ls", "{}")}},
		{"primary: first required string", "/grep TODO now", [][]call{one("grep", `{"pattern":"TODO now"}`)}},
		{"primary: not the first property", "/read README.md", [][]call{one("read", `{"file_path":"README.md"}`)}},
		{"primary: first string when none is required", "/ls src", [][]call{one("ls", `{"path":"src"}`)}},
		{"primary: none", "/count three", [][]call{one("count", "three")}},
		{"no schema", "/none x", [][]call{one("none", "x")}},
		{"a tab separates", "/read\ta", [][]call{one("read", `{"file_path":"a"}`)}},
		{"names with dots and dashes", "/mcp.tool-x q", [][]call{one("mcp.tool-x", `{"q":"q"}`)}},
		{"quotes are text", `/grep "a b"`, [][]call{one("grep", `{"pattern":"\"a b\""}`)}},
		{"a list is text", `/grep [ab]`, [][]call{one("grep", `{"pattern":"[ab]"}`)}},
		{"command", "!ls -l | wc", [][]call{one("bash", `{"command":"ls -l | wc"}`)}},
		{"command with braces", "!{ echo a; echo b; }", [][]call{one("bash", `{"command":"{ echo a; echo b; }"}`)}},
		{"a lonely !", "!\n! ", nil},
		{"several calls, text between", "first\n/ls a\nthen\n!true\n", [][]call{one("ls", `{"path":"a"}`), one("bash", `{"command":"true"}`)}},
		{"unknown name", "/tmp is full?\n/ls", [][]call{one("ls", "{}")}},
		{"unknown name with JSON", "/unknown {\n/ls", [][]call{one("ls", "{}")}},
		{"a name inside a path", "/read/a.txt\n/reader x", nil},
		{"indented", "  /ls\n\t!true", nil},
		{"CRLF", "/ls a\r\n!true\r\n", [][]call{one("ls", `{"path":"a"}`), one("bash", `{"command":"true"}`)}},

		{"batch", "/ls a\n& /ls b\n& !true\n/ls c", [][]call{
			{{"ls", `{"path":"a"}`}, {"ls", `{"path":"b"}`}, {"bash", `{"command":"true"}`}},
			one("ls", `{"path":"c"}`),
		}},
		{"batch over text", "/ls a\nand\n\n& /ls b", [][]call{{{"ls", `{"path":"a"}`}, {"ls", `{"path":"b"}`}}}},
		{"batch without a call before", "& /ls a", [][]call{one("ls", `{"path":"a"}`)}},
		{"& without a call", "/ls a\n& text\n&/ls b\n&\n& ", [][]call{one("ls", `{"path":"a"}`)}},

		{"JSON over lines", "/read {\n  \"file_path\": \"a\",\n\n  \"start_line\": 3\n}\n/ls", [][]call{
			one("read", "{\n  \"file_path\": \"a\",\n\n  \"start_line\": 3\n}"), one("ls", "{}"),
		}},
		{"JSON over lines, CRLF", "/read {\r\n\"file_path\": \"a\"}\r\n", [][]call{one("read", "{\n\"file_path\": \"a\"}")}},
		{"JSON in a batch", "/ls\n& /read {\n\"file_path\":\"a\"}", [][]call{{{"ls", "{}"}, {"read", "{\n\"file_path\":\"a\"}"}}}},
		{"brackets in strings", "/grep {\"pattern\": \"}{\\\"[\",\n\"path\":\"x\"}\n/ls", [][]call{
			one("grep", "{\"pattern\": \"}{\\\"[\",\n\"path\":\"x\"}"), one("ls", "{}"),
		}},
		{"nested", "/grep {\"a\":[{\n}],\n\"b\":1}\ntext", [][]call{one("grep", "{\"a\":[{\n}],\n\"b\":1}")}},
		{"something behind", `/read {"file_path":"a"} please`, [][]call{one("read", `{"file_path":"a"} please`)}},

		{"broken: ends at the next call", "/read {\"file_path\": \"a\"\n/ls b", [][]call{one("read", `{"file_path": "a"`), one("ls", `{"path":"b"}`)}},
		{"broken: ends at a command", "/read {\n!true", [][]call{one("read", "{"), one("bash", `{"command":"true"}`)}},
		{"broken: ends at a batch", "/read {\n& !true", [][]call{{{"read", "{"}, {"bash", `{"command":"true"}`}}}},
		{"broken: an open string ends with its line", "/read {\"file_path\": \"a\ntext\n/ls", [][]call{one("read", `{"file_path": "a`), one("ls", "{}")}},
		{"broken: ends with the program", "/read {\n \"file_path\":\n\n", [][]call{one("read", "{\n \"file_path\":")}},
		{"broken: too many brackets", "/read {}}\n/ls", [][]call{one("read", "{}}"), one("ls", "{}")}},
		{"broken: a brace alone", "/read {", [][]call{one("read", "{")}},
	} {
		if got := parse(tc.program, offered).batches; !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s:\n got %q\nwant %q", tc.name, got, tc.want)
		}
	}
}

func TestCommandsAreTextWithoutTheirTool(t *testing.T) {
	if got := parse("!ls\n/ls", offered[:3]).batches; !reflect.DeepEqual(got, [][]call{one("ls", "{}")}) {
		t.Errorf("got %q", got)
	}
	if got := parse("/ls\n!ls", nil).batches; got != nil {
		t.Errorf("without tools: %q", got)
	}
}

// write prints batches in the language that parse reads.
func write(batches [][]call) string {
	var b strings.Builder
	for _, batch := range batches {
		for i, c := range batch {
			if i > 0 {
				b.WriteString("& ")
			}
			b.WriteString("/" + c.name + " " + c.arguments + "\n")
		}
	}
	return b.String()
}

// FuzzParse checks that no program makes the parser panic, that it yields only
// tools that are offered, and that what it yields as JSON is read back the
// same.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"/read a\n& /ls {\"path\":\"x\"}\n!true", "/grep {\n\"pattern\":\n\"a\"}", "/tmp is full?", "& ! x\r\n/read {\"", "/ls {}}{", "/ls \xff\xfe{",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, program string) {
		var valid [][]call
		for _, batch := range parse(program, offered).batches {
			var keep []call
			for _, c := range batch {
				if !slices.ContainsFunc(offered, func(t tools.ToolSchema) bool { return t.Name == c.name }) {
					t.Fatalf("a call of %q", c.name)
				}
				if json.Valid([]byte(c.arguments)) && strings.HasPrefix(c.arguments, "{") {
					keep = append(keep, c)
				}
			}
			if keep != nil {
				valid = append(valid, keep)
			}
		}
		if again := parse(write(valid), offered).batches; !reflect.DeepEqual(again, valid) {
			t.Fatalf("written and read again:\n%q\n%q", valid, again)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	program := strings.Repeat("/read a.txt\n/grep {\"pattern\": \"x\",\n \"path\": \"src\"}\nsome text\n", 100)
	b.SetBytes(int64(len(program)))
	b.ReportAllocs()
	for b.Loop() {
		parse(program, offered)
	}
}
