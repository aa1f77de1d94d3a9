package lsp

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func TestJudgeArrival(t *testing.T) {
	const text = "a\nb\nc\nd\ne\n"
	for _, c := range []struct {
		name, after, now string
		want             arrival
	}{
		{"typed below", "a\nB\nc\nd\ne\n", "a\nB\nc\nd\ne!\n", arrivalMade},
		{"typed above", "a\nb\nc\nD\ne\n", "a!\nb\nc\nD\ne\n", arrivalMade},
		{"typed on the next line", "a\nB\nc\nd\ne\n", "a\nB\nc!\nd\ne\n", arrivalMade},
		{"typed alone", "a\nB\nc\nd\ne\n", "a\nb\nc\nd\ne!\n", arrivalNotMade},
		{"typed into the edit", "a\nB\nc\nd\ne\n", "a\nB!\nc\nd\ne\n", arrivalUnknown},
		{"typed into what it replaces", "a\nB\nc\nd\ne\n", "a\nb!\nc\nd\ne\n", arrivalUnknown},
		{"a line was added", "a\nb\nX\nc\nd\ne\n", "a\nb\nX\nc\nd\ne!\n", arrivalMade},
		{"a line was not added", "a\nb\nX\nc\nd\ne\n", "a\nb\nc\nd\ne!\n", arrivalNotMade},
		{"a line was removed", "a\nb\nd\ne\n", "a!\nb\nd\ne\n", arrivalMade},
		{"a line was not removed", "a\nb\nd\ne\n", "a!\nb\nc\nd\ne\n", arrivalNotMade},
		{"one of two", "A\nb\nc\nd\nE\n", "A\nb\nc\nd\ne\n", arrivalUnknown},
		{"two", "A\nb\nc\nd\nE\n", "A\nb\nc!\nd\nE\n", arrivalMade},
		{"the user did the same", "a\nB\nc\nd\ne\n", "a\nB\nc\nd\ne\n", arrivalMade},
	} {
		if got := judgeArrival(text, c.after, c.now); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// TestJudgeArrivalIsNeverWrong makes edits of the agent and of the user among
// few different lines, where much looks alike: what is said is true.
func TestJudgeArrivalIsNeverWrong(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	word := func() string { return fmt.Sprintf("%c\n", 'a'+rune(random.IntN(6))) }
	said := map[arrival]int{}
	for range 3000 {
		lines := make([]string, 12)
		for i := range lines {
			lines[i] = word()
		}
		before := strings.Join(lines, "")
		agent, user := random.IntN(6), 6+random.IntN(6)
		if random.IntN(2) == 0 {
			agent, user = user, agent
		}
		change := func(of []string, i int, to string) string {
			of = append([]string(nil), of...)
			of[i] = to
			return strings.Join(of, "")
		}
		to := []string{"", word(), word() + lines[agent]}[random.IntN(3)]
		typed := append([]string(nil), lines...)
		typed[user] = "typed\n"
		after, without, with := change(lines, agent, to), strings.Join(typed, ""), change(typed, agent, to)
		if after == before {
			continue
		}
		for now, wrong := range map[string]arrival{without: arrivalMade, with: arrivalNotMade} {
			got := judgeArrival(before, after, now)
			said[got]++
			if got == wrong {
				t.Fatalf("before %q after %q now %q: %d", before, after, now, got)
			}
		}
	}
	if said[arrivalMade] < said[arrivalUnknown] {
		t.Errorf("%v: too little is known", said)
	}
}
