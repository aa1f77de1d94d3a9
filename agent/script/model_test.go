package script

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-ls/agent-ls/agent"
)

const sample = `{"turns":[
	{"steps":[
		{"think":"hm"}, {"say":"one"},
		{"calls":[{"name":"read","args":{"a": 1}},{"name":"bash","args":"{\"raw\":","id":"call_0"}]},
		{"say":"two"},
		{"calls":[{"name":"ls","id":"call_0"}]},
		{"stop":"max_tokens"}, {"say":"never"}
	]},
	{"steps":[{"say":"half"},{"error":{"status":429,"message":"slow down"}},{"say":"never"}]},
	{"steps":[{"say":"last"}]}
]}`

// play1 collects what the model says when a conversation has come so far.
func play1(t *testing.T, m *Model, at agent.Progress) (said []string, f agent.Finish, err error) {
	t.Helper()
	f, err = m.Respond(t.Context(), agent.Request{Progress: at}, func(d agent.Delta) error {
		switch {
		case d.Call != nil:
			said = append(said, fmt.Sprintf("call %s %s %s", d.Call.Name, d.Call.Arguments, d.Call.ID))
		case d.Thought != "":
			said = append(said, "thought "+d.Thought)
		default:
			said = append(said, d.Text)
		}
		return nil
	})
	return said, f, err
}

func newModel(t *testing.T, file string) *Model {
	t.Helper()
	s, err := Parse([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	return NewModel(s)
}

func TestPlaying(t *testing.T) {
	m := newModel(t, sample)
	for _, tc := range []struct {
		name   string
		at     agent.Progress
		said   []string
		reason agent.StopReason
		err    string
	}{
		{"no prompt yet", agent.Progress{}, []string{"thought hm", "one", `call read {"a": 1} `, `call bash {"raw": call_0`}, "", ""},
		{"first prompt", agent.Progress{Prompts: 1}, []string{"thought hm", "one", `call read {"a": 1} `, `call bash {"raw": call_0`}, "", ""},
		{"behind the first batch", agent.Progress{Prompts: 1, Batches: 1}, []string{"two", "call ls  call_0"}, "", ""},
		{"behind the last batch", agent.Progress{Prompts: 1, Batches: 2}, nil, agent.MaxTokens, ""},
		{"more batches than there are", agent.Progress{Prompts: 1, Batches: 3}, nil, "", ""},
		{"second prompt", agent.Progress{Prompts: 2}, []string{"half"}, "", "slow down"},
		{"third prompt", agent.Progress{Prompts: 3}, []string{"last"}, "", ""},
		{"prompts go on", agent.Progress{Prompts: 4}, []string{"last"}, "", ""},
	} {
		said, f, err := play1(t, m, tc.at)
		if !reflect.DeepEqual(said, tc.said) || f.Reason != tc.reason || (err == nil) != (tc.err == "") || err != nil && err.Error() != tc.err {
			t.Errorf("%s: %q, %q, %v", tc.name, said, f.Reason, err)
		}
	}
	var failure *agent.ProviderError
	if _, _, err := play1(t, m, agent.Progress{Prompts: 2}); !errors.As(err, &failure) || failure.Status != 429 {
		t.Errorf("error %v", err)
	}
}

func TestWaitingEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModel(t, `{"turns":[{"steps":[{"wait_ms":1500},{"say":"x"}]}]}`)
		start := time.Now()
		if said, _, err := play1(t, m, agent.Progress{}); err != nil || len(said) != 1 || time.Since(start) != 1500*time.Millisecond {
			t.Errorf("%q, %v after %v", said, err, time.Since(start))
		}
		stop := errors.New("stop")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(stop) })
		start = time.Now()
		_, err := m.Respond(ctx, agent.Request{}, func(agent.Delta) error { return nil })
		if !errors.Is(err, stop) || time.Since(start) != time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

func TestAnErrorOfYieldEndsTheResponse(t *testing.T) {
	m := newModel(t, `{"turns":[{"steps":[{"calls":[{"name":"a"},{"name":"b"}]}]}]}`)
	stop := errors.New("stop")
	n := 0
	if _, err := m.Respond(t.Context(), agent.Request{}, func(agent.Delta) error { n++; return stop }); !errors.Is(err, stop) || n != 1 {
		t.Errorf("%v after %d pieces", err, n)
	}
}

func TestInfo(t *testing.T) {
	if got := Info("x.json"); got.ID != "script:x.json" || got.Direct {
		t.Errorf("%+v", got)
	}
}
