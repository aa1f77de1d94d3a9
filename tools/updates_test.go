package tools

import (
	"strings"
	"testing"
)

// TestSlowFrontEnd: Emit never blocks; what does not fit is counted, and what
// replaces is replaced.
func TestSlowFrontEnd(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	var got []Update
	q := newUpdates(func(u Update) {
		if len(got) == 0 {
			close(arrived)
			<-release
		}
		got = append(got, u)
	})
	q.start()
	q.post(TerminalAttached{"t"})
	<-arrived // the front end is busy from here on
	big := strings.Repeat("x", maxPendingOutput)
	q.post(Output{Text: big})
	q.post(Output{Text: "lost"})
	for i := range 2 * maxPendingUpdates {
		q.post(Progress{Details: []byte{byte('0' + i%10)}})
	}
	q.post(PlanChange{})
	q.post(Output{Dropped: 3, Text: "lost too"})
	if n := len(q.pending); n > maxPendingUpdates+1 {
		t.Errorf("%d updates are held back", n)
	}
	close(release)
	q.close()
	q.post(Output{Text: "after the end"})

	last := got[len(got)-1]
	if want := (Output{Dropped: len("lost") + 3 + len("lost too")}); last != Update(want) {
		t.Errorf("last update %+v, want %+v", last, want)
	}
	if out := got[1].(Output); out.Text != big || out.Dropped != 0 {
		t.Errorf("the first output has %d bytes and %d dropped", len(out.Text), out.Dropped)
	}
	var progress Progress
	plans := 0
	for _, u := range got {
		switch u := u.(type) {
		case Progress:
			progress = u
		case PlanChange:
			plans++
		}
	}
	if string(progress.Details) != string([]byte{byte('0' + (2*maxPendingUpdates-1)%10)}) || plans != 1 {
		t.Errorf("last progress %s, %d plans", progress.Details, plans)
	}
}

func TestDroppedOutputIsToldBeforeTheNext(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	var got []Update
	q := newUpdates(func(u Update) {
		if len(got) == 0 {
			close(arrived)
			<-release
		}
		got = append(got, u)
	})
	q.start()
	q.post(Output{Text: "first"})
	<-arrived
	q.post(Output{Text: strings.Repeat("x", maxPendingOutput+1)})
	q.post(Output{Text: "next\xff"})
	close(release)
	q.close()
	want := Output{Dropped: maxPendingOutput + 1, Text: "next\uFFFD"}
	if len(got) != 2 || got[1] != Update(want) {
		t.Errorf("got %+v", got)
	}
}

func TestCloseWithoutUpdates(t *testing.T) {
	q := newUpdates(func(Update) { t.Error("delivered") })
	q.post(Output{Text: "too early"})
	q.start()
	q.close()
}
