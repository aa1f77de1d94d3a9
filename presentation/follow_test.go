package presentation

import (
	"math/rand/v2"
	"testing"
	"time"
)

// start is the time at which the tests of Follow begin.
var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func place(path string, line int) []FileLocation { return []FileLocation{{Path: path, Line: line}} }

// expectNext fails unless f reveals want now; "" means nothing.
func expectNext(t *testing.T, f *Follow, now time.Time, want string) {
	t.Helper()
	got, ok := f.Next(now)
	if ok != (want != "") || got.Path != want {
		t.Fatalf("Next at +%v = %v, %v; want %q", now.Sub(start), got, ok, want)
	}
}

func TestFollowIsOffByDefault(t *testing.T) {
	var f Follow
	f.Locate(place("a", 1))
	expectNext(t, &f, start, "")
	if f.On() || f.Paused() {
		t.Error("on without having been turned on")
	}
	if _, ok := f.Due(); ok {
		t.Error("something is due")
	}
}

func TestFollowTurnedOnGoesToTheLatest(t *testing.T) {
	var f Follow
	f.Locate(place("a", 1))
	f.Locate(place("b", 2))
	if !f.Toggle() {
		t.Fatal("Toggle did not turn it on")
	}
	expectNext(t, &f, start, "b")
	expectNext(t, &f, start.Add(time.Hour), "")
	f.Locate(place("c", 3))
	if f.Toggle() {
		t.Fatal("Toggle did not turn it off")
	}
	expectNext(t, &f, start.Add(2*time.Hour), "")
}

func TestFollowLatestWinsWithinTheInterval(t *testing.T) {
	var f Follow
	f.Set(true)
	f.Locate(place("a", 1))
	expectNext(t, &f, start, "a")
	f.Locate(place("b", 1))
	expectNext(t, &f, start.Add(RevealInterval-1), "")
	f.Locate(place("c", 1))
	if at, ok := f.Due(); !ok || !at.Equal(start.Add(RevealInterval)) {
		t.Errorf("Due = %v, %v", at, ok)
	}
	expectNext(t, &f, start.Add(RevealInterval), "c")
	expectNext(t, &f, start.Add(2*RevealInterval), "")
}

func TestFollowRevealsTheFirstLocationOnce(t *testing.T) {
	var f Follow
	f.Set(true)
	f.Locate([]FileLocation{{Path: "a", Line: 1}, {Path: "b", Line: 2}})
	expectNext(t, &f, start, "a")
	f.Locate(place("a", 1))
	f.Locate(nil)
	f.Locate(place("", 4))
	expectNext(t, &f, start.Add(time.Minute), "")
	f.Locate(place("a", 2))
	expectNext(t, &f, start.Add(time.Minute), "a")
}

func TestFollowBackToWhatIsShownIsNoReveal(t *testing.T) {
	var f Follow
	f.Set(true)
	f.Locate(place("a", 1))
	expectNext(t, &f, start, "a")
	f.Locate(place("b", 1))
	f.Locate(place("a", 1))
	expectNext(t, &f, start.Add(time.Minute), "")
}

func TestFollowPause(t *testing.T) {
	var f Follow
	f.Pause()
	if f.Paused() {
		t.Error("paused though off")
	}
	f.Set(true)
	f.Locate(place("a", 1))
	f.Pause()
	expectNext(t, &f, start, "")
	f.Locate(place("b", 1))
	expectNext(t, &f, start.Add(time.Minute), "")
	if !f.On() || !f.Paused() {
		t.Error("not paused")
	}
	f.Resume()
	expectNext(t, &f, start.Add(time.Minute), "b")
	f.Pause()
	f.Resume()
	expectNext(t, &f, start.Add(time.Hour), "")
}

func TestFollowKeyEndsAPause(t *testing.T) {
	var f Follow
	f.Set(true)
	f.Locate(place("a", 1))
	expectNext(t, &f, start, "a")
	f.Pause()
	if !f.Toggle() || f.Paused() {
		t.Fatal("the key did not end the pause")
	}
	expectNext(t, &f, start.Add(time.Minute), "a") // the user went elsewhere: back again
}

func TestFollowEndOfTurn(t *testing.T) {
	var f Follow
	f.Set(true)
	f.Locate(place("a", 1))
	f.Pause()
	f.EndTurn()
	if !f.On() || f.Paused() {
		t.Error("the next turn does not start following")
	}
	expectNext(t, &f, start, "")
	f.Locate(place("a", 1))
	expectNext(t, &f, start, "a")
	f.Locate(place("b", 1))
	f.EndTurn()
	expectNext(t, &f, start.Add(time.Minute), "")
	f.Locate(place("a", 1))
	expectNext(t, &f, start.Add(time.Minute), "a")
}

// However the calls come, no second holds more than four reveals, none happens
// while off or paused, and no location is revealed twice in a row without the
// user's or the turn's doing.
func TestFollowNeverRevealsTooMuch(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	var f Follow
	var reveals []time.Time
	now := start
	for range 20_000 {
		now = now.Add(time.Duration(r.IntN(60)) * time.Millisecond)
		switch r.IntN(40) {
		case 0:
			f.Toggle()
		case 1:
			f.Pause()
		case 2:
			f.Resume()
		case 3:
			f.EndTurn()
		default:
			f.Locate(place("f", r.IntN(50)))
		}
		_, due := f.Due()
		if _, ok := f.Next(now); ok {
			if !due || !f.On() || f.Paused() {
				t.Fatalf("revealed while due %v, on %v, paused %v", due, f.On(), f.Paused())
			}
			reveals = append(reveals, now)
		}
	}
	for i := 4; i < len(reveals); i++ {
		if reveals[i].Sub(reveals[i-4]) < time.Second {
			t.Fatalf("five reveals from %v to %v", reveals[i-4], reveals[i])
		}
	}
	if len(reveals) == 0 {
		t.Error("nothing was revealed")
	}
}
