package builtin

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
)

// todoKey is where the list lies in the session's metadata (seed 000 §7.2).
const todoKey = "codelia_todos"

// The states of a todo.
const (
	todoPending    = "pending"
	todoInProgress = "in_progress"
	todoCompleted  = "completed"
)

// Todo is one item of the list.
type Todo struct {
	ID         string `json:"id"`
	Content    string `json:"content"`
	Status     string `json:"status"`
	Priority   int    `json:"priority"` // 1 (highest) to 5
	Notes      string `json:"notes,omitempty"`
	ActiveForm string `json:"activeForm,omitempty"`
}

// label is the text of an item: its active form while it is worked on.
func (t Todo) label() string {
	if t.Status == todoInProgress && t.ActiveForm != "" {
		return t.ActiveForm
	}
	return t.Content
}

// todoList is a session's list in its order.
type todoList []Todo

// loadTodos reads the list from the session; entries that are malformed are
// left out.
func loadTodos(m tools.Metadata) todoList {
	if m == nil {
		return nil
	}
	var raw []json.RawMessage
	if json.Unmarshal(m.Get(todoKey), &raw) != nil {
		return nil
	}
	var list todoList
	for _, r := range raw {
		var t Todo
		if json.Unmarshal(r, &t) == nil && t.valid() {
			list = append(list, t)
		}
	}
	return list
}

func (t Todo) valid() bool {
	switch t.Status {
	case todoPending, todoInProgress, todoCompleted:
	default:
		return false
	}
	return t.ID != "" && strings.TrimSpace(t.Content) != "" && t.Priority >= 1 && t.Priority <= 5
}

// save stores the list; an empty one removes the key.
func (l todoList) save(m tools.Metadata) error {
	if m == nil {
		return &tools.Error{Name: "TodoError", Code: "TODOS_UNAVAILABLE", Message: "this session keeps no todos", Hint: "Go on without the list"}
	}
	if len(l) == 0 {
		return m.Set(todoKey, nil)
	}
	return m.Set(todoKey, mustJSON(l))
}

// check refuses items without content, which would not be restored, and more
// than one item in progress (tools.md §1.12.5).
func (l todoList) check() error {
	var ids []string
	for _, t := range l {
		if strings.TrimSpace(t.Content) == "" {
			return invalidArgs("the content of todo [%s] is blank; nothing was changed", t.ID)
		}
		if t.Status == todoInProgress {
			ids = append(ids, t.ID)
		}
	}
	if len(ids) <= 1 {
		return nil
	}
	return &tools.Error{Name: "TodoError", Code: "INVALID_TODO_STATE",
		Message: fmt.Sprintf("Invalid todo state: more than one item is in_progress (%s); nothing was changed", strings.Join(ids, ", ")),
		Hint:    "Keep one item in_progress"}
}

func (l todoList) counts() (pending, inProgress, completed int) {
	for _, t := range l {
		switch t.Status {
		case todoPending:
			pending++
		case todoInProgress:
			inProgress++
		case todoCompleted:
			completed++
		}
	}
	return pending, inProgress, completed
}

// next is the item to work on: the one in progress, else the first pending.
func (l todoList) next() (Todo, bool) {
	for _, want := range []string{todoInProgress, todoPending} {
		for _, t := range l {
			if t.Status == want {
				return t, true
			}
		}
	}
	return Todo{}, false
}

func (l todoList) summary() string {
	p, i, c := l.counts()
	s := fmt.Sprintf("%d pending, %d in progress, %d completed.", p, i, c)
	if n, ok := l.next(); ok {
		s += fmt.Sprintf(" Next: [%s].", n.ID)
	}
	return s
}

// text shows the whole list; notes are not shown.
func (l todoList) text() string {
	if len(l) == 0 {
		return "Todo list is empty"
	}
	var b strings.Builder
	b.WriteString("Todo plan:\n")
	marks := map[string]string{todoPending: "[ ]", todoInProgress: "[>]", todoCompleted: "[x]"}
	for i, t := range l {
		fmt.Fprintf(&b, "%d. %s [%s] (p%d) %s\n", i+1, marks[t.Status], t.ID, t.Priority, t.label())
	}
	b.WriteString(l.summary())
	return b.String()
}

// plan is the list as front ends show it.
func (l todoList) plan() []presentation.PlanEntry {
	out := make([]presentation.PlanEntry, len(l))
	for i, t := range l {
		priority := "low"
		switch {
		case t.Priority <= 2:
			priority = "high"
		case t.Priority == 3:
			priority = "medium"
		}
		out[i] = presentation.PlanEntry{Content: t.Content, Priority: priority, Status: t.Status}
	}
	return out
}

// taken returns the ids in use.
func (l todoList) taken() map[string]bool {
	ids := map[string]bool{}
	for _, t := range l {
		ids[t.ID] = true
	}
	return ids
}

// todoID makes an id of the one given, or of the content, that no other item
// has (tools.md §1.12.3).
func todoID(given, content string, taken map[string]bool) string {
	id := slug(given)
	if id == "" {
		id = slug(content)
	}
	if id == "" {
		id = "todo"
	}
	unique := id
	for n := 2; taken[unique]; n++ {
		unique = fmt.Sprintf("%s-%d", id, n)
	}
	taken[unique] = true
	return unique
}

// slug lower-cases s and leaves only [a-z0-9._-], with no dashes in a row and
// none of -_. at the ends.
func slug(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		switch {
		case r == ' ' || r == '-':
			if !strings.HasSuffix(b.String(), "-") {
				b.WriteByte('-')
			}
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' || r == '_':
			b.WriteRune(r)
		}
	}
	return strings.Trim(b.String(), "-_.")
}
