package agent

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/tools"
)

func TestResultsFromOutsideAreCutAndStored(t *testing.T) {
	store := newOutputs(t)
	big := strings.Repeat("a line of the result\n", 10_000)
	w := newWorld(t, model(says(Finish{}, callOf("foreign", args("")), callOf("ours", args("")))), func(c *Config) { c.Outputs = store })
	for name, source := range map[string]tools.Source{"foreign": tools.SourceMCP, "ours": tools.SourceBuiltin} {
		def := tools.Define(tools.Spec[echoArgs]{
			Name: name, Source: source, Access: func(echoArgs) []tools.Access { return nil },
			Execute: func(context.Context, echoArgs, *tools.Context) (tools.Result, error) {
				return tools.TextResult(big), nil
			},
		})
		if _, err := w.registry.Register(def); err != nil {
			t.Fatal(err)
		}
	}
	s := w.session()
	w.run(s, "go", EndTurn)
	for _, m := range s.History() {
		if m.Role != RoleTool {
			continue
		}
		size := len(joinText(m.Blocks))
		if cut := m.Name == "foreign"; cut != (size < len(big)) || cut != (m.OutputRef != "") {
			t.Errorf("%s: %d bytes, ref %q", m.Name, size, m.OutputRef)
		}
	}
}

func TestOldResultsGiveWay(t *testing.T) {
	big := strings.Repeat("x", 30_000)
	w := newWorld(t, model(
		says(Finish{}, callOf("echo", args("old"+big))),
		says(Finish{}, callOf("echo", args("mid"+big))),
		says(Finish{}, callOf("echo", args("new"+big))),
	), func(c *Config) {
		c.Outputs, c.Cache.TotalBudgetTrim, c.Cache.ContextBudgetTokens = newOutputs(t), true, 20_000
	})
	s := w.session()
	w.run(s, "go", EndTurn)
	asked := w.model.asked()
	var got []string
	for _, m := range asked[len(asked)-1].Messages {
		if m.Role == RoleTool {
			got = append(got, joinText(m.Blocks)[:10])
		}
	}
	if want := []string{"[tool outp", "midxxxxxxx", "newxxxxxxx"}; !slices.Equal(got, want) {
		t.Errorf("results %q, want %q", got, want)
	}
	if got := joinText(s.History()[2].Blocks); len(got) < len(big) {
		t.Error("the history itself was trimmed")
	}
}
