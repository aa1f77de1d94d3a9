package cache

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/presentation"
)

func TestBudget(t *testing.T) {
	tests := []struct {
		config Config
		want   int
	}{
		{Config{}, 100_000},
		{Config{MaxInputTokens: 272_000}, 68_000},
		{Config{MaxInputTokens: 272_000, ContextWindow: 400_000}, 68_000},
		{Config{ContextWindow: 200_000}, 50_000},
		{Config{ContextWindow: 8_000}, 20_000},
		{Config{ContextWindow: 2_000_000}, 100_000},
		{Config{MaxInputTokens: 100_003}, 25_000},
		{Config{ContextBudgetTokens: 7, ContextWindow: 200_000}, 7},
	}
	for _, tt := range tests {
		if got := tt.config.Budget(); got != tt.want {
			t.Errorf("%+v: %d, want %d", tt.config, got, tt.want)
		}
	}
}

func text(s string) []presentation.Block { return []presentation.Block{presentation.Text(s)} }

// shownText is the text of a message of one text block.
func shownText(t *testing.T, m Message) string {
	t.Helper()
	if len(m.Blocks) != 1 || m.Blocks[0].Type != presentation.BlockText {
		t.Fatalf("blocks %+v", m.Blocks)
	}
	return m.Blocks[0].Text
}

func TestProcessMessageText(t *testing.T) {
	line := strings.Repeat("a", 99) + "\n"
	exact := strings.Repeat(line, 512) // 51 200 bytes
	tests := []struct {
		name, in, want string
	}{
		{"small", "hello\n", "hello\n"},
		{"line endings stay", "a\r\nb\r\n", "a\r\nb\r\n"},
		{"exactly the limit", exact, exact},
		{"one byte more", exact + "x", strings.TrimSuffix(exact, "\n") + "\n\n[tool output truncated; ref=c]"},
		{"line does not fit with its newline", exact[:51_199] + "bc\nlast", strings.TrimSuffix(exact[:51_100], "\n") + "\n\n[tool output truncated; ref=c]"},
		{"kept lines keep their endings", strings.Repeat("b\r\n", 20_000), strings.TrimSuffix(strings.Repeat("b\r\n", 17_066), "\r\n") + "\n\n[tool output truncated; ref=c]"},
		{"one line too large", strings.Repeat("é", 30_000), strings.Repeat("é", 25_600) + "\n\n[tool output truncated; ref=c]"},
		{"no rune is cut", "x" + strings.Repeat("é", 30_000), "x" + strings.Repeat("é", 25_599) + "\n\n[tool output truncated; ref=c]"},
		{"12k characters in one line", strings.Repeat("z", 12_000), strings.Repeat("z", 12_000)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			store := newStore(t, Options{})
			s := NewService(store, "s", Config{}, nil)
			in := Message{CallID: "c", Name: "any", Blocks: text(tt.in)}
			got := s.ProcessMessage(in)
			if shown := shownText(t, got); shown != tt.want {
				t.Errorf("%d bytes, want %d: …%q", len(shown), len(tt.want), shown[max(0, len(shown)-60):])
			}
			if got.Trimmed != (tt.in != tt.want) || got.Ref != "c" {
				t.Errorf("trimmed %v, ref %q", got.Trimmed, got.Ref)
			}
			if stored := read(t, store, "s", got.Ref); stored != tt.in {
				t.Errorf("stored %d bytes of %d", len(stored), len(tt.in))
			}
			if in.Blocks[0].Text != tt.in || in.Trimmed {
				t.Error("the caller's message was changed")
			}
		})
	}
}

func TestProcessMessageKinds(t *testing.T) {
	big := strings.Repeat("line\n", 14_000) // 70 000 bytes
	store := newStore(t, Options{})
	service := func(c Config) *Service { return NewService(store, "s", c, nil) }
	t.Run("disabled", func(t *testing.T) {
		in := Message{CallID: "d", Blocks: text(big)}
		if got := service(Config{Disabled: true}).ProcessMessage(in); !reflect.DeepEqual(got, in) {
			t.Error("changed")
		}
	})
	t.Run("bounded by its tool", func(t *testing.T) {
		got := service(Config{}).ProcessMessage(Message{CallID: "b", Blocks: text(big), Bounded: true})
		if shownText(t, got) != big || got.Ref != "b" || got.Trimmed {
			t.Errorf("ref %q trimmed %v", got.Ref, got.Trimmed)
		}
	})
	t.Run("stored by its tool", func(t *testing.T) {
		got := service(Config{}).ProcessMessage(Message{CallID: "own", Blocks: text(big), Ref: "own-stdout"})
		if got.Ref != "own-stdout" || !strings.HasSuffix(shownText(t, got), "ref=own-stdout]") {
			t.Errorf("ref %q", got.Ref)
		}
		if _, err := store.Path("s", "own"); err == nil {
			t.Error("stored twice")
		}
	})
	t.Run("texts are one", func(t *testing.T) {
		got := service(Config{}).ProcessMessage(Message{CallID: "t", Blocks: append(text("a"), text("b")...)})
		if shownText(t, got) != "ab" {
			t.Error(got.Blocks)
		}
	})
	t.Run("images stay", func(t *testing.T) {
		blocks := append(text(big), presentation.Image([]byte{1, 2}, "image/png"))
		got := service(Config{}).ProcessMessage(Message{CallID: "i", Blocks: blocks})
		if !reflect.DeepEqual(got.Blocks, blocks) || got.Trimmed {
			t.Error("an image message was replaced")
		}
		if back, err := store.Parts("s", got.Ref); err != nil || !reflect.DeepEqual(back, blocks) {
			t.Errorf("parts %v", err)
		}
	})
	t.Run("cannot store", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		got := NewService(Open(Options{Dir: file}), "s", Config{}, nil).ProcessMessage(Message{CallID: "x", Blocks: text(big)})
		if got.Ref != "" || !strings.HasSuffix(shownText(t, got), "\n\n[tool output truncated]") {
			t.Errorf("ref %q", got.Ref)
		}
	})
	t.Run("no store", func(t *testing.T) {
		if got := NewService(nil, "s", Config{}, nil).ProcessMessage(Message{Blocks: text("x")}); got.Ref != "" {
			t.Errorf("ref %q", got.Ref)
		}
	})
	t.Run("no content", func(t *testing.T) {
		if got := service(Config{}).ProcessMessage(Message{CallID: "n"}); len(got.Blocks) != 0 || got.Trimmed {
			t.Errorf("%+v", got)
		}
	})
}

func TestTrimTotal(t *testing.T) {
	big := text(strings.Repeat("x", 300_000)) // 75 000 tokens
	image := append(text("Image loaded"), presentation.Image(make([]byte, 10), "image/png"))
	on := Config{TotalBudgetTrim: true, MaxInputTokens: 272_000}
	trimmed := func(ref Ref) string {
		if ref == "" {
			return "[tool output trimmed]"
		}
		return "[tool output trimmed; ref=" + string(ref) + "]"
	}
	tests := []struct {
		name    string
		config  Config
		in      []Message
		current int
		replace []int
	}{
		{"switched off", Config{MaxInputTokens: 272_000}, []Message{{Blocks: big}}, 0, nil},
		{"disabled", Config{Disabled: true, TotalBudgetTrim: true, MaxInputTokens: 272_000}, []Message{{Blocks: big}}, 0, nil},
		{"alone over the budget", on, []Message{{Blocks: big}}, 0, []int{0}},
		{"within it", Config{TotalBudgetTrim: true}, []Message{{Blocks: big}}, 0, nil},
		{"oldest first", on, []Message{{Ref: "a", Blocks: big}, {Ref: "b", Blocks: big}, {Ref: "c", Blocks: text("small")}}, 0, []int{0, 1}},
		{"only as many as needed", Config{TotalBudgetTrim: true}, []Message{{Blocks: big}, {Blocks: big}}, 0, []int{0}},
		{"the current step stays", on, []Message{{Ref: "a", Blocks: big}, {Ref: "b", Blocks: big}}, 1, []int{0}},
		{"all are current", on, []Message{{Blocks: big}}, 5, nil},
		{"images stay", on, []Message{{Blocks: append(slices.Clone(image), big...)}, {Blocks: big}}, 0, []int{1}},
		{"what would grow stays", on, []Message{{Ref: "0123456789", Blocks: text("tiny")}, {Blocks: big}}, 0, []int{1}},
		{"what was replaced stays", on, []Message{{Ref: "a", Trimmed: true, Blocks: text(trimmed("a"))}, {Blocks: big}}, 0, []int{1}},
		{"what was only truncated goes", on, []Message{{Ref: "a", Trimmed: true, Blocks: big}}, 0, []int{0}},
		{"nothing", on, nil, 0, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := slices.Clone(tt.in)
			got := NewService(nil, "s", tt.config, nil).TrimTotal(tt.in, tt.current)
			if !reflect.DeepEqual(tt.in, before) {
				t.Error("the caller's messages were changed")
			}
			for i, m := range got {
				want := tt.in[i]
				if slices.Contains(tt.replace, i) {
					want.Blocks, want.Trimmed = text(trimmed(want.Ref)), true
				}
				if !reflect.DeepEqual(m, want) {
					t.Errorf("message %d: trimmed %v, %.40q", i, m.Trimmed, Project(m.Blocks))
				}
			}
		})
	}
}

// BenchmarkTrimTotal: 10 000 messages in less than 20 ms.
func BenchmarkTrimTotal(b *testing.B) {
	messages := make([]Message, 10_000)
	body := text(strings.Repeat("x", 4000))
	for i := range messages {
		messages[i] = Message{CallID: fmt.Sprint(i), Ref: Ref(fmt.Sprint(i)), Blocks: body}
	}
	s := NewService(nil, "s", Config{TotalBudgetTrim: true}, nil)
	b.ReportAllocs()
	for b.Loop() {
		s.TrimTotal(messages, 10)
	}
}
