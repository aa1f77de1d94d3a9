package builtin

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/presentation"
)

func TestTodos(t *testing.T) {
	s := newSession(t, Options{})
	if got := s.ok("todo_read", ""); got != "Todo list is empty" {
		t.Errorf("empty: %q", got)
	}
	if got := s.ok("todo_new", args{"todos": []args{{"content": "Design API surface", "notes": "hidden"}}}); got != "Updated todos (new): 1 pending, 0 in progress, 0 completed. Next: [design-api-surface]." {
		t.Errorf("new: %q", got)
	}
	if got := s.ok("todo_read", ""); got != "Todo plan:\n1. [ ] [design-api-surface] (p3) Design API surface\n1 pending, 0 in progress, 0 completed. Next: [design-api-surface]." {
		t.Errorf("read: %q", got)
	}
	if got := s.ok("todo_append", args{"todos": []args{
		{"content": "Design API surface", "priority": 1},
		{"id": "B c!", "content": "second", "status": "in_progress", "activeForm": "Doing second"},
	}}); !strings.Contains(got, "Next: [b-c].") {
		t.Errorf("append: %q", got)
	}
	got := s.ok("todo_read", "")
	for _, want := range []string{"2. [ ] [design-api-surface-2] (p1)", "3. [>] [b-c] (p3) Doing second"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q not in %q", want, got)
		}
	}
	wantPlan := []presentation.PlanEntry{{Content: "Design API surface", Priority: "medium", Status: "pending"},
		{Content: "Design API surface", Priority: "high", Status: "pending"}, {Content: "second", Priority: "medium", Status: "in_progress"}}
	for i, e := range s.cards.plan {
		if e != wantPlan[i] {
			t.Errorf("plan entry %d: %+v", i, e)
		}
	}
	s.ok("todo_patch", args{"updates": []args{{"id": "b-c", "status": "completed"}, {"id": "design-api-surface", "remove": true}, {"id": "design-api-surface-2", "notes": ""}}})
	if got := s.ok("todo_read", ""); !strings.Contains(got, "2. [x] [b-c]") || strings.Contains(got, "[design-api-surface]") {
		t.Errorf("patched: %q", got)
	}
	s.ok("todo_clear", "")
	if s.meta.Get("codelia_todos") != nil || len(s.cards.plan) != 0 {
		t.Error("not cleared")
	}
}

func TestTodoErrors(t *testing.T) {
	s := newSession(t, Options{})
	s.ok("todo_new", args{"todos": []args{{"id": "a", "content": "A", "status": "in_progress"}, {"id": "b", "content": "B"}}})
	before := string(s.meta.Get("codelia_todos"))
	for _, tt := range []struct {
		code, tool string
		args       args
		want       string
	}{
		{"INVALID_TODO_STATE", "todo_patch", args{"updates": []args{{"id": "b", "status": "in_progress"}}}, "in_progress (a, b)"},
		{"UNKNOWN_TODO", "todo_patch", args{"updates": []args{{"id": "a", "status": "completed"}, {"id": "zz"}}}, "Unknown todo ids: zz. Existing ids: a, b"},
		{"INVALID_ARGS", "todo_clear", args{"x": 1}, "x"},
		{"INVALID_ARGS", "todo_new", args{"todos": []args{}}, "todos"},
		{"INVALID_ARGS", "todo_new", args{"todos": []args{{"content": "A", "priority": 6}}}, "priority"},
		{"INVALID_ARGS", "todo_append", args{"todos": []args{{"content": "A", "status": "done"}}}, "status"},
	} {
		if got := s.fails(tt.code, tt.tool, tt.args); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q in it", tt.tool, got, tt.want)
		}
	}
	if string(s.meta.Get("codelia_todos")) != before {
		t.Error("a refused change was kept")
	}
}

func TestTodoRestore(t *testing.T) {
	s := newSession(t, Options{})
	if err := s.meta.Set("codelia_todos", json.RawMessage(`[{"id":"a","content":"A","status":"pending","priority":3},{"id":"","content":"x"},7,{"id":"b","content":"B","status":"odd","priority":1}]`)); err != nil {
		t.Fatal(err)
	}
	if got := s.ok("todo_read", ""); strings.Count(got, "\n") != 2 || !strings.Contains(got, "[a]") {
		t.Errorf("restored: %q", got)
	}
}
