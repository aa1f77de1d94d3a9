package diff

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// newRand returns a source whose seed is printed when the test fails; the
// variable DIFF_TEST_SEED repeats a run.
func newRand(t testing.TB) *rand.Rand {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("DIFF_TEST_SEED"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatalf("DIFF_TEST_SEED: %v", err)
		}
		seed = n
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("DIFF_TEST_SEED=%d", seed)
		}
	})
	return rand.New(rand.NewPCG(seed, 0))
}

// randomText returns up to lines short lines that often repeat, with endings
// of all sorts.
func randomText(r *rand.Rand, lines int) string {
	words := []string{"a", "b", "c", "", " d", "\t", "\té", "x\ry"}
	endings := []string{"\n", "\n", "\n", "\r\n", ""}
	var b strings.Builder
	for range r.IntN(lines + 1) {
		b.WriteString(words[r.IntN(len(words))])
		b.WriteString(endings[r.IntN(len(endings))])
	}
	return b.String()
}

// mutate returns text with about share percent of its lines changed.
func mutate(r *rand.Rand, text string, share int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if r.IntN(100) >= share {
			b.WriteString(line)
			continue
		}
		switch r.IntN(3) {
		case 0:
		case 1:
			b.WriteString(line)
			b.WriteString(randomText(r, 2))
		case 2:
			b.WriteString("z" + line)
		}
	}
	return b.String()
}

// numberedText returns n lines that are all different.
func numberedText(prefix string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s %d\n", prefix, i+1)
	}
	return b.String()
}

// randomPair returns two texts, related more or less closely.
func randomPair(r *rand.Rand) (before, after string) {
	before = randomText(r, 20)
	if r.IntN(4) == 0 {
		return before, randomText(r, 20)
	}
	return before, mutate(r, before, 5+r.IntN(40))
}
