package builtin

import (
	"encoding/json"
	"testing"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
)

// Tools.md §1.4.4.
func TestDone(t *testing.T) {
	s := newSession(t, Options{})
	for _, c := range []struct {
		args    args
		text    string
		details string
	}{
		{args{}, "Task complete", `{"done":true,"finalMessage":""}`},
		{args{"message": "All <3 files."}, "Task complete: All <3 files.", `{"done":true,"finalMessage":"All <3 files."}`},
	} {
		r := s.call("done", c.args)
		if r.IsError || !r.Terminate || text(r) != c.text || string(r.Details) != c.details {
			t.Errorf("%v: %+v", c.args, r)
		}
	}
	d := Done(Options{})
	if d.Access == nil || len(d.Access(json.RawMessage(`{}`))) != 0 {
		t.Error("done needs permission")
	}
	if v := d.PresentCall(json.RawMessage(`{"message":"m"}`)).(*presentation.GenericCall); v.Title != "Task complete" || string(v.RawInput) != `"m"` {
		t.Errorf("card %+v", v)
	}
	if v := d.PresentCall(json.RawMessage(`{}`)).(*presentation.GenericCall); v.RawInput != nil {
		t.Errorf("card %+v", v)
	}
	s.fails(tools.CodeInvalidArgs, "done", args{"message": 1})
}
