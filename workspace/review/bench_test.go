package review

import (
	"fmt"
	"strings"
	"testing"
)

// reviewed returns a ledger whose file has n lines and a hunk at every 100th.
func reviewed(b *testing.B, l *Ledger, n int) (text string) {
	b.Helper()
	start := numbered(n)
	text = start
	for i := 1; i <= n; i += 100 {
		line := fmt.Sprintf("line %02d\n", i)
		text = strings.Replace(text, line, "agent "+line, 1)
	}
	must(b, l.Record(Change{Path: path, Before: file1(start), After: file1(text)}, call))
	return text
}

// BenchmarkTyping is one keystroke in a file of 10,000 lines with 100 hunks.
func BenchmarkTyping(b *testing.B) {
	l := newLedger(b)
	text := reviewed(b, l, 10_000)
	at := strings.Index(text, "line 5050\n")
	other := text[:at] + "x" + text[at:]
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for i := 0; b.Loop(); i++ {
		must(b, l.UserEdit(path, file1([2]string{other, text}[i%2])))
	}
}

// BenchmarkHunks is what each lens request asks.
func BenchmarkHunks(b *testing.B) {
	l := newLedger(b)
	reviewed(b, l, 10_000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := l.Hunks(path); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRecord is one agent's edit of a file of 1,000 lines, stored.
func BenchmarkRecord(b *testing.B) {
	l, err := OpenLedger(openStore(b, b.TempDir()), LedgerOptions{})
	must(b, err)
	text := reviewed(b, l, 1_000)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		next := strings.Replace(text, "line 500\n", fmt.Sprintf("line 500\nedit %d\n", i), 1)
		must(b, l.Record(Change{Path: path, Before: file1(text), After: file1(next)}, call))
		must(b, l.Flush())
		text = next
	}
}
