package proc

import (
	"fmt"
	"strings"
)

// maxSaid is how much of a program's last words a user is shown, in bytes.
const maxSaid = 400

// Trouble says how a program ended and what it said last, for a user, on one
// line; "" when there is nothing to tell. What ended it because it was asked to
// is no trouble.
func (e Exit) Trouble() string {
	var parts []string
	switch {
	case e.Aborted:
	case e.Signal != "":
		parts = append(parts, "it was ended by "+e.Signal)
	case e.Code != nil && *e.Code != 0:
		parts = append(parts, fmt.Sprintf("it ended with exit code %d", *e.Code))
	}
	if said := LastWords(e.Stderr.Text); said != "" {
		parts = append(parts, "it last said: "+said)
	}
	return strings.Join(parts, "; ")
}

// LastWords is the end of a text, on one line.
func LastWords(text string) string {
	t := NewTail(maxSaid)
	t.Add(strings.TrimSpace(text))
	return strings.Join(strings.Fields(t.String()), " ")
}
