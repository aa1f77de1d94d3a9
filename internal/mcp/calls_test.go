package mcp

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-ls/agent-ls/tools"
)

// newCalls returns calls with a silence of 10 s. Use it in a synctest bubble.
func newCalls() *calls { return &calls{silence: 10 * time.Second} }

func TestSilenceIsCountedFromTheLastSign(t *testing.T) {
	for name, sign := range map[string]func(*calls){
		"progress": func(k *calls) { k.progress(&sdk.ProgressNotificationParams{ProgressToken: "c1"}) },
		"message":  func(k *calls) { k.alive() },
		"question": func(k *calls) { _, _, done := k.ask(context.Background()); done() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := newCalls()
				ctx, end := k.begin(t.Context(), &tools.Context{CallID: "c1"})
				defer end()
				time.Sleep(9 * time.Second)
				sign(k)
				time.Sleep(9 * time.Second)
				synctest.Wait()
				if ctx.Err() != nil {
					t.Fatal("given up although the server lives")
				}
				time.Sleep(2 * time.Second)
				synctest.Wait()
				if context.Cause(ctx) != errSilent {
					t.Errorf("cause %v, want the silence", context.Cause(ctx))
				}
			})
		})
	}
}

func TestProgressOfAnotherCallIsNoSign(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newCalls()
		ctx, end := k.begin(t.Context(), &tools.Context{CallID: "c1"})
		defer end()
		time.Sleep(9 * time.Second)
		for _, token := range []any{"c2", 7.0, nil} {
			k.progress(&sdk.ProgressNotificationParams{ProgressToken: token})
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if ctx.Err() == nil {
			t.Error("the call still waits")
		}
	})
}

func TestTimeStandsStillWhileTheUserIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newCalls()
		first, end := k.begin(t.Context(), &tools.Context{CallID: "c1"})
		question, callID, done := k.ask(t.Context())
		if callID != "c1" {
			t.Errorf("the question is of call %q", callID)
		}
		second, endSecond := k.begin(t.Context(), &tools.Context{CallID: "c2"})
		k.progress(&sdk.ProgressNotificationParams{ProgressToken: "c2"})
		k.alive()
		time.Sleep(time.Hour)
		synctest.Wait()
		if first.Err() != nil || second.Err() != nil || question.Err() != nil {
			t.Fatal("something ran out of time")
		}
		if _, callID, also := k.ask(t.Context()); callID != "" {
			t.Errorf("a question among two calls is of call %q", callID)
		} else {
			also()
		}
		end()
		endSecond()
		if question.Err() == nil {
			t.Error("the question goes on without a call that needs it")
		}
		done()
	})
}

func TestProgressText(t *testing.T) {
	for _, tt := range []struct {
		p    sdk.ProgressNotificationParams
		want string
	}{
		{sdk.ProgressNotificationParams{Progress: 3}, "3"},
		{sdk.ProgressNotificationParams{Progress: 0.25, Total: 1}, "0.25 of 1"},
		{sdk.ProgressNotificationParams{Progress: 3, Total: 10, Message: "copying"}, "copying (3 of 10)"},
	} {
		if got := progressText(&tt.p); got != tt.want {
			t.Errorf("%+v is %q, want %q", tt.p, got, tt.want)
		}
	}
}
