package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the generated parts of the documents again")

// root is the project's folder.
const root = "../.."

// document is a file of documentation.
type document struct {
	path string // below root, with slashes
	text string
}

// documents are all that people read: those beside the README and in docs.
func documents(t *testing.T) []document {
	t.Helper()
	var docs []document
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			path, err := filepath.Rel(root, file)
			if err != nil {
				t.Fatal(err)
			}
			docs = append(docs, document{filepath.ToSlash(path), string(text)})
		}
	}
	if len(docs) < 5 {
		t.Fatalf("found only %d documents", len(docs))
	}
	return docs
}

// fence is a fenced block.
type fence struct {
	lang  string
	line  int // of its first line of text, 1-based
	lines []string
}

func (d document) fences() []fence {
	var found []fence
	open := false
	for i, line := range strings.Split(d.text, "\n") {
		switch {
		case open && strings.TrimSpace(line) == "```":
			open = false
		case open:
			last := &found[len(found)-1]
			last.lines = append(last.lines, line)
		case strings.HasPrefix(line, "```"):
			open = true
			found = append(found, fence{lang: strings.TrimPrefix(line, "```"), line: i + 2})
		}
	}
	return found
}

// example is a command of a console block with the output that it shows.
type example struct {
	command string
	line    int
	output  []string
}

// prompt begins a command: "$ " and one of the programs that examples use. The
// card of a command begins with "$ ", too.
var prompt = regexp.MustCompile(`^\$ ((?:agent-ls|cat|echo|printf|touch) .*)`)

// examples reads a console block: a prompt begins a command, "> " continues
// it, anything else is output.
func (f fence) examples() []example {
	var found []example
	for i, line := range f.lines {
		last := len(found) - 1
		begins := prompt.FindStringSubmatch(line)
		more, continues := strings.CutPrefix(line, "> ")
		switch {
		case begins != nil:
			found = append(found, example{command: begins[1], line: f.line + i})
		case last < 0:
		case continues && len(found[last].output) == 0:
			found[last].command += "\n" + more
		default:
			found[last].output = append(found[last].output, line)
		}
	}
	return found
}

// shows says whether output is what the document shows: "…" stands for any
// text, alone on a line for any number of lines. Blanks at the end of a line
// and empty lines at the end do not count.
func shows(document []string, output string) bool {
	var pattern strings.Builder
	pattern.WriteString(`^`)
	for _, line := range strings.Split(strings.TrimRight(strings.Join(document, "\n"), "\n"), "\n") {
		if line == "…" {
			pattern.WriteString(`(?:.*\n)*?`)
			continue
		}
		parts := strings.Split(strings.TrimRight(line, " "), "…")
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		pattern.WriteString(strings.Join(parts, `.*`) + `\n`)
	}
	pattern.WriteString(`$`)
	var trimmed strings.Builder
	for _, line := range strings.Split(strings.TrimRight(output, " \n"), "\n") {
		trimmed.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return regexp.MustCompile(pattern.String()).MatchString(trimmed.String())
}

// TestShows tests how output is compared.
func TestShows(t *testing.T) {
	for _, row := range []struct {
		document, output string
		want             bool
	}{
		{"", "", true},
		{"a", "a\n", true},
		{"a", "a", true},
		{"a\n", "a\n\n", true},
		{"a", "a  \n", true},
		{"a", "b\n", false},
		{"a", "a\nb\n", false},
		{"a…", "abc\n", true},
		{"a…\nc", "a\nb\nc\n", false},
		{"a\n…\nc", "a\nb\nb\nc\n", true},
		{"a\n…\nc", "a\nc\n", true},
		{"…", "", true},
		{"a.c", "abc\n", false},
	} {
		var document []string
		if row.document != "" {
			document = strings.Split(row.document, "\n")
		}
		if got := shows(document, row.output); got != row.want {
			t.Errorf("%q shows %q: %v", row.document, row.output, got)
		}
	}
}

// TestDocumentExamples runs the console blocks of every document, in order, in
// one scratch folder a document.
func TestDocumentExamples(t *testing.T) {
	shell, err := exec.LookPath("bash")
	if err != nil || os.PathSeparator != '/' {
		t.Skip("the examples are for bash on Unix")
	}
	ran := 0
	for _, d := range documents(t) {
		t.Run(d.path, func(t *testing.T) {
			h := newHome(t)
			for _, f := range d.fences() {
				if f.lang != "console" {
					continue
				}
				for _, e := range f.examples() {
					ran++
					e.check(t, h, d.path, shell)
				}
			}
		})
	}
	if ran < 10 {
		t.Errorf("only %d examples were found", ran)
	}
}

// check runs an example.
func (e example) check(t *testing.T, h home, path, shell string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), shell, "-c", e.command)
	cmd.Dir, cmd.Env = h.cwd, append(h.env, "LC_ALL=C")
	output, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s:%d: %v", path, e.line, err)
	}
	if !shows(e.output, string(output)) {
		t.Errorf("%s:%d: $ %s\nshows\n%s\nbut prints\n%s", path, e.line, e.command, strings.Join(e.output, "\n"), output)
	}
}

// TestDocumentJSON checks that blocks of JSON are JSON.
func TestDocumentJSON(t *testing.T) {
	for _, d := range documents(t) {
		for _, f := range d.fences() {
			if f.lang == "json" && !json.Valid([]byte(strings.Join(f.lines, "\n"))) {
				t.Errorf("%s:%d: no JSON", d.path, f.line)
			}
		}
	}
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	noSlug  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestDocumentLinks checks that links between the project's files lead
// somewhere, to a heading where they name one.
func TestDocumentLinks(t *testing.T) {
	for _, d := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(d.text, -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			file := filepath.Join(root, d.path)
			if target != "" {
				file = filepath.Join(filepath.Dir(file), filepath.FromSlash(target))
			}
			text, err := os.ReadFile(file)
			if info, statErr := os.Stat(file); statErr != nil || err != nil && !info.IsDir() {
				t.Errorf("%s: the link %s leads nowhere", d.path, m[1])
			} else if anchor != "" && !slices.Contains(anchors(string(text)), anchor) {
				t.Errorf("%s: %s has no heading %q", d.path, target, anchor)
			}
		}
	}
}

// anchors are the names that links give to the headings of a document.
func anchors(text string) []string {
	var found []string
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		slug := noSlug.ReplaceAllString(strings.ToLower(m[1]), "")
		found = append(found, strings.ReplaceAll(slug, " ", "-"))
	}
	return found
}

// generated checks the part of a document between the marks of a name, or
// writes it with -update.
func generated(t *testing.T, path, name, want string) {
	t.Helper()
	file := filepath.Join(root, path)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := fmt.Appendf(nil, "<!-- %s:begin -->\n", name), fmt.Appendf(nil, "<!-- %s:end -->", name)
	before, rest, found := bytes.Cut(text, begin)
	have, after, closed := bytes.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no part %q", path, name)
	}
	if string(have) == want {
		return
	}
	if !*update {
		t.Errorf("%s: the part %q is out of step; go test ./cmd/agent-ls -update writes\n%s", path, name, want)
		return
	}
	text = slices.Concat(before, begin, []byte(want), end, after)
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestREADMETools keeps the table of tools in step with the program.
func TestREADMETools(t *testing.T) {
	out, code := newHome(t).output(t, "tools")
	if code != 0 {
		t.Fatalf("exit code %d", code)
	}
	table := "| tool | |\n|---|---|\n"
	for line := range strings.Lines(out) {
		name, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		table += fmt.Sprintf("| `%s` | %s |\n", name, strings.ReplaceAll(strings.TrimSpace(text), "|", `\|`))
	}
	generated(t, "README.md", "tools", table)
}

// lspCommandName matches a command of the language server.
var lspCommandName = regexp.MustCompile("`(agent-ls\\.[A-Za-z]+)`")

// TestDocumentLSPCommands compares the commands of docs/lsp.md with those that
// the server announces.
func TestDocumentLSPCommands(t *testing.T) {
	documented := map[string]bool{}
	for _, d := range documents(t) {
		for _, m := range lspCommandName.FindAllStringSubmatch(d.text, -1) {
			documented[m[1]] = true
		}
	}
	var result struct {
		Capabilities struct {
			ExecuteCommandProvider struct{ Commands []string }
		}
	}
	initializeLSP(t, newHome(t), &result)
	announced := result.Capabilities.ExecuteCommandProvider.Commands
	slices.Sort(announced)
	if have := slices.Sorted(maps.Keys(documented)); !slices.Equal(have, announced) {
		t.Errorf("documented are\n%v\nannounced are\n%v", have, announced)
	}
}

// initializeLSP starts the language server, decodes the result of initialize
// and ends it.
func initializeLSP(t *testing.T, h home, result any) {
	t.Helper()
	cmd := h.command(t, "lsp")
	cmd.Stderr = logTo(t)
	var in bytes.Buffer
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"shutdown"}`, `{"jsonrpc":"2.0","method":"exit"}`,
	} {
		fmt.Fprintf(&in, "Content-Length: %d\r\n\r\n%s", len(line), line)
	}
	cmd.Stdin = &in
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for {
		_, rest, found := bytes.Cut(out, []byte("\r\n\r\n"))
		var m message
		dec := json.NewDecoder(bytes.NewReader(rest))
		if !found || dec.Decode(&m) != nil {
			t.Fatalf("no answer to initialize in %q", out)
		}
		out = rest[dec.InputOffset():]
		if string(m.ID) == "1" {
			if err := json.Unmarshal(m.Result, result); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
}
