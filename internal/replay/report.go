package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/agent-ls/agent-ls/workspace/diff"
)

// Report is what a replay found.
type Report struct {
	Equal bool `json:"equal"`
	// Notes say how the replay differs from the original by itself.
	Notes       []string     `json:"notes,omitempty"`
	Differences []Difference `json:"differences,omitempty"`
}

// Difference is one kind of message in which the runs differ.
type Difference struct {
	Kind string `json:"kind"`
	// Recorded and Now are how many there are.
	Recorded int `json:"recorded"`
	Now      int `json:"now"`
	// Diff is a unified diff of their normal forms.
	Diff string `json:"diff"`
}

// around is how many equal lines a diff shows around a change.
const around = 3

// compare adds the differences of two runs; prefix goes before their kinds.
func (r *Report) compare(prefix string, recorded, now []*section) {
	find := func(list []*section, kind string) *section {
		for _, s := range list {
			if s.kind == kind {
				return s
			}
		}
		return &section{kind: kind}
	}
	seen := map[string]bool{}
	for _, s := range append(append([]*section(nil), recorded...), now...) {
		if seen[s.kind] {
			continue
		}
		seen[s.kind] = true
		a, b := find(recorded, s.kind), find(now, s.kind)
		if d := diff.Unified("recorded", "now", a.text(), b.text(), around); d != "" {
			r.Differences = append(r.Differences, Difference{prefix + s.kind, len(a.items), len(b.items), d})
		}
	}
}

// text is a section as lines of JSON.
func (s *section) text() string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	for _, item := range s.items {
		if err := e.Encode(item); err != nil {
			fmt.Fprintf(&b, "%v\n", err)
		}
	}
	return b.String()
}

// Write prints the report for a person.
func (r *Report) Write(w io.Writer) error {
	var b bytes.Buffer
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", note)
	}
	for _, d := range r.Differences {
		fmt.Fprintf(&b, "\n%s: %d recorded, %d now\n%s", d.Kind, d.Recorded, d.Now, d.Diff)
	}
	switch n := len(r.Differences); n {
	case 0:
		b.WriteString("The program says what it said when the log was written.\n")
	case 1:
		b.WriteString("\nOne kind of message differs.\n")
	default:
		fmt.Fprintf(&b, "\n%d kinds of messages differ.\n", n)
	}
	_, err := w.Write(b.Bytes())
	return err
}
