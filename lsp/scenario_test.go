package lsp

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/agent-ls/agent-ls/tools/permission"
)

// scenario plays one file of testdata/scenarios: the workspace as files ws/…,
// the texts to compare with as want/…, and in the comment one step a line. The
// words of a line are apart by spaces, or quoted as in Go; $WS is the
// workspace's folder.
type scenario struct {
	*setup
	t     *testing.T
	files map[string]string
	last  turn
}

// steps are what a line may begin with; a "!" before it expects the contrary
// where a step judges something.
var steps = map[string]func(s *scenario, not bool, args []string) error{
	"open":     func(s *scenario, _ bool, a []string) error { s.open(a[0]); return nil },
	"close":    func(s *scenario, _ bool, a []string) error { s.editor.close(a[0]); return nil },
	"save":     func(s *scenario, _ bool, a []string) error { s.save(a[0]); return nil },
	"reload":   func(s *scenario, _ bool, a []string) error { s.reload(a[0]); return nil },
	"type":     func(s *scenario, _ bool, a []string) error { s.typeAfter(a[0], a[1], a[2]); return nil },
	"write":    func(s *scenario, _ bool, a []string) error { s.taken(); s.write(s.t, a[0], a[1]); return nil },
	"prompt":   func(s *scenario, _ bool, a []string) error { s.last = s.prompt(strings.Join(a, "\n")); return nil },
	"command":  (*scenario).runCommand,
	"answer":   (*scenario).answerWith,
	"buffer":   (*scenario).buffer,
	"disk":     (*scenario).diskIs,
	"result":   (*scenario).result,
	"stop":     (*scenario).stop,
	"count":    (*scenario).count,
	"question": (*scenario).questionSays,
}

func TestScenarios(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "scenarios", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		archive := txtar.Parse(data)
		clients := []string{"vscode"}
		var lines []string
		mode := ""
		for _, line := range strings.Split(string(archive.Comment), "\n") {
			switch words := strings.Fields(line); {
			case len(words) > 1 && words[0] == "clients":
				clients = words[1:]
			case len(words) > 1 && words[0] == "mode":
				mode = words[1]
			default:
				lines = append(lines, line)
			}
		}
		for _, client := range clients {
			t.Run(name+"/"+client, func(t *testing.T) { play(t, client, mode, lines, archive.Files) })
		}
	}
}

// play runs the steps with one client.
func play(t *testing.T, client, mode string, lines []string, files []txtar.File) {
	w := world{files: map[string]string{}, mode: permission.Mode(mode)}
	s := &scenario{t: t, files: map[string]string{}}
	for _, f := range files {
		if name, ok := strings.CutPrefix(f.Name, "ws/"); ok {
			w.files[name] = string(f.Data)
		}
		s.files[f.Name] = string(f.Data)
	}
	s.setup = start(t, client, w)
	for i, line := range lines {
		words, err := split(strings.ReplaceAll(line, "$WS", filepath.ToSlash(s.dir)))
		if err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		if len(words) == 0 {
			continue
		}
		not := words[0] == "!"
		if not {
			words = words[1:]
		}
		run, ok := steps[words[0]]
		if !ok {
			t.Fatalf("line %d: no step %q", i+1, words[0])
		}
		if err := run(s, not, words[1:]); err != nil {
			t.Fatalf("line %d: %s: %v\nlast turn:\n%s", i+1, line, err, s.last.Transcript)
		}
	}
}

// split takes a line apart; what follows # is a remark.
func split(line string) (words []string, err error) {
	for {
		line = strings.TrimLeft(line, " \t")
		switch {
		case line == "" || line[0] == '#':
			return words, nil
		case line[0] == '"' || line[0] == '`':
			quoted, err := strconv.QuotedPrefix(line)
			if err != nil {
				return nil, fmt.Errorf("%w: %s", err, line)
			}
			word, err := strconv.Unquote(quoted)
			if err != nil {
				return nil, err
			}
			words, line = append(words, word), line[len(quoted):]
		default:
			word, rest, _ := strings.Cut(line, " ")
			words, line = append(words, word), rest
		}
	}
}

func (s *scenario) runCommand(not bool, a []string) error {
	args := make([]any, len(a)-1)
	for i, arg := range a[1:] {
		args[i] = arg
		if arg == "true" || arg == "false" {
			args[i] = arg == "true"
		}
	}
	_, err := s.command("agent-ls."+a[0], args...)
	if (err != nil) != not {
		return fmt.Errorf("error %v", err)
	}
	return nil
}

// answerWith answers questions from now on by the button that begins so.
func (s *scenario) answerWith(_ bool, a []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onQuestion = func(q *question) string {
		if a[0] == "" {
			return ""
		}
		return q.button(a[0])
	}
	return nil
}

func (s *scenario) buffer(_ bool, a []string) error {
	return same(s.text(a[0]), s.files["want/"+a[1]])
}

func (s *scenario) diskIs(not bool, a []string) error {
	data, err := os.ReadFile(filepath.Join(s.dir, a[0]))
	if not || err != nil {
		if not == (err != nil) {
			return nil
		}
		return fmt.Errorf("reading it: %v", err)
	}
	return same(string(data), s.files["want/"+a[1]])
}

func same(got, want string) error {
	if got != want {
		return fmt.Errorf("got\n%s\nwant\n%s", got, want)
	}
	return nil
}

// result looks for an expression in the transcript of the last turn.
func (s *scenario) result(not bool, a []string) error {
	re, err := regexp.Compile(a[0])
	if err == nil && re.MatchString(s.last.Transcript) == not {
		err = fmt.Errorf("the transcript has it: %v", not)
	}
	return err
}

func (s *scenario) stop(_ bool, a []string) error { return same(s.last.StopReason, a[0]) }

// count compares how many edits, questions, shown documents there were.
func (s *scenario) count(_ bool, a []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := map[string]int{"edits": len(s.edits), "questions": len(s.questions), "shown": len(s.shown), "progresses": len(s.begun)}[a[0]]
	return same(strconv.Itoa(n), a[1])
}

func (s *scenario) questionSays(_ bool, a []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.questions) == 0 || !strings.Contains(s.questions[len(s.questions)-1].text, a[0]) {
		return fmt.Errorf("the last of %d questions does not say so", len(s.questions))
	}
	return nil
}
