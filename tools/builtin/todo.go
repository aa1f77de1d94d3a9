package builtin

import (
	"context"
	"embed"
	"fmt"
	"strings"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
)

//go:embed todo_*.md
var todoDescriptions embed.FS

// TodoItem is a todo as a model writes it.
type TodoItem struct {
	ID         string `json:"id,omitempty" desc:"Short id; made from the content when missing."`
	Content    string `json:"content" desc:"What is to be done." minLength:"1"`
	Status     string `json:"status,omitempty" enum:"pending,in_progress,completed"`
	Priority   int    `json:"priority,omitzero" min:"1" max:"5" desc:"1 is the highest, 3 the default."`
	Notes      string `json:"notes,omitempty"`
	ActiveForm string `json:"activeForm,omitempty" desc:"How the item reads while it is worked on."`
}

// TodoItems are the parameters of todo_new and todo_append.
type TodoItems struct {
	Todos []TodoItem `json:"todos" minItems:"1"`
}

// TodoUpdate changes one item; what is absent stays.
type TodoUpdate struct {
	ID         string  `json:"id" minLength:"1"`
	Content    *string `json:"content,omitempty" minLength:"1"`
	Status     *string `json:"status,omitempty" enum:"pending,in_progress,completed"`
	Priority   *int    `json:"priority,omitempty" min:"1" max:"5"`
	Notes      *string `json:"notes,omitempty"`
	ActiveForm *string `json:"activeForm,omitempty"`
	Remove     bool    `json:"remove,omitempty"`
}

// TodoUpdates are the parameters of todo_patch.
type TodoUpdates struct {
	Updates []TodoUpdate `json:"updates" minItems:"1"`
}

// TodoNone are the parameters of todo_read and todo_clear: none.
type TodoNone struct{}

// Todos returns the five todo tools (seed 000 §7.2; tools.md §1.12).
func Todos(o Options) []*tools.Definition {
	return []*tools.Definition{
		todoTool("todo_read", "Show todos", func(l todoList, _ TodoNone) (todoList, string, error) { return l, "", nil }),
		todoTool("todo_new", "New todo list", func(_ todoList, a TodoItems) (todoList, string, error) {
			return todoList(nil).append(a.Todos), "new", nil
		}),
		todoTool("todo_append", "Add todos", func(l todoList, a TodoItems) (todoList, string, error) {
			return l.append(a.Todos), "append", nil
		}),
		todoTool("todo_patch", "Update todos", func(l todoList, a TodoUpdates) (todoList, string, error) {
			l, err := l.patch(a.Updates)
			return l, "patch", err
		}),
		todoTool("todo_clear", "Clear todos", func(todoList, TodoNone) (todoList, string, error) { return nil, "clear", nil }),
	}
}

// todoTool makes one tool of the function that changes a list and names how;
// no name means that the list is only read.
func todoTool[Args any](name, label string, change func(todoList, Args) (todoList, string, error)) *tools.Definition {
	description, err := todoDescriptions.ReadFile(name + ".md")
	if err != nil {
		panic(err) // embedded above
	}
	return tools.Define(tools.Spec[Args]{
		Name: name, Label: label, Description: string(description), Source: tools.SourceBuiltin,
		// Two changes of one list must not cross.
		Mode:   tools.Sequential,
		Access: func(Args) []tools.Access { return []tools.Access{} },
		Execute: func(_ context.Context, a Args, tc *tools.Context) (tools.Result, error) {
			list, mode, err := change(loadTodos(tc.Metadata), a)
			if err != nil {
				return tools.Result{}, err
			}
			if mode == "" {
				return tools.TextResult(list.text()), nil
			}
			if err := list.check(); err != nil {
				return tools.Result{}, err
			}
			if err := list.save(tc.Metadata); err != nil {
				return tools.Result{}, err
			}
			tc.Emit(tools.PlanChange{Entries: list.plan()})
			r := tools.TextResult(fmt.Sprintf("Updated todos (%s): %s", mode, list.summary()))
			r.Details = mustJSON(map[string]any{"todos": append(todoList{}, list...)})
			return r, nil
		},
		PresentCall: func(Args) presentation.CallView {
			return &presentation.GenericCall{Title: label, Kind: presentation.KindOther}
		},
	})
}

// append adds items with ids of their own.
func (l todoList) append(items []TodoItem) todoList {
	taken := l.taken()
	out := append(todoList{}, l...)
	for _, it := range items {
		t := Todo{ID: todoID(it.ID, it.Content, taken), Content: it.Content, Status: it.Status, Priority: it.Priority, Notes: it.Notes, ActiveForm: it.ActiveForm}
		if t.Status == "" {
			t.Status = todoPending
		}
		if t.Priority == 0 {
			t.Priority = 3
		}
		out = append(out, t)
	}
	return out
}

// patch applies updates to a copy; an unknown id fails them all.
func (l todoList) patch(updates []TodoUpdate) (todoList, error) {
	known := l.taken()
	var unknown, ids []string
	for _, u := range updates {
		if !known[u.ID] {
			unknown = append(unknown, u.ID)
		}
	}
	if len(unknown) > 0 {
		for _, t := range l {
			ids = append(ids, t.ID)
		}
		return nil, &tools.Error{Name: "TodoError", Code: "UNKNOWN_TODO",
			Message: fmt.Sprintf("Unknown todo ids: %s. Existing ids: %s", strings.Join(unknown, ", "), strings.Join(ids, ", ")),
			Hint:    "Call todo_read to see the list"}
	}
	out := append(todoList{}, l...)
	for _, u := range updates {
		for i := range out {
			if out[i].ID != u.ID {
				continue
			}
			if u.Remove {
				out = append(out[:i], out[i+1:]...)
			} else {
				u.apply(&out[i])
			}
			break
		}
	}
	return out, nil
}

func (u TodoUpdate) apply(t *Todo) {
	set(&t.Content, u.Content)
	set(&t.Status, u.Status)
	set(&t.Priority, u.Priority)
	set(&t.Notes, u.Notes)
	set(&t.ActiveForm, u.ActiveForm)
}

// set stores a given value; absent keeps.
func set[T any](to *T, v *T) {
	if v != nil {
		*to = *v
	}
}
