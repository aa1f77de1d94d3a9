package agent

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

func BenchmarkNew(b *testing.B) {
	w := newWorld(b, model())
	b.ReportAllocs()
	for b.Loop() {
		w.session().Close()
	}
}

func BenchmarkTurnOfFiftyCalls(b *testing.B) {
	w := newWorld(b, model())
	s := w.session()
	b.ReportAllocs()
	for b.Loop() {
		w.model.responses = nil
		for range 50 {
			w.model.responses = append(w.model.responses, says(Finish{}, callOf("echo", args("x"))))
		}
		w.run(s, "go", EndTurn)
	}
}

func BenchmarkAppend(b *testing.B) {
	l := newLog(filepath.Join(b.TempDir(), "s.jsonl"), logHeader{Session: "s"})
	l.create()
	defer l.close()
	r := Record{Seq: 1, Time: testTime, Event: AgentText{MessageID: "m", Text: strings.Repeat("word ", 20)}}
	b.ReportAllocs()
	for b.Loop() {
		if err := l.append(r); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	line, err := marshal(Record{Seq: 1, Time: testTime, Event: sampleEvents()[5]})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		var r Record
		if err := json.Unmarshal(line, &r); err != nil {
			b.Fatal(err)
		}
	}
}
