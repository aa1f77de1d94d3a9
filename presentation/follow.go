package presentation

import "time"

// RevealInterval is the least time between two reveals of a [Follow]: at most
// four a second.
const RevealInterval = 250 * time.Millisecond

// Follow decides when a front end shows the place that the agent works at
// (contract §7, "follow"). It is off until the user turns it on; then the latest location wins. A user who
// scrolls, types or goes elsewhere pauses it. It is a state machine without
// clock and timers: the front end tells it what happened and at what time, and
// asks it what to show.
//
// To reveal a location means to show it in a preview and to mark its line. It
// never means to move the focus or the caret, nor to raise a window. Locations
// of sub-agents' calls are not given to Follow.
//
// The zero value is off. A Follow is not safe for concurrent use.
type Follow struct {
	on, paused bool
	latest     FileLocation // the last one of the turn; Path "" means none
	due        bool         // latest has not been revealed yet
	shown      FileLocation // what was revealed last; Path "" means nothing
	shownAt    time.Time
}

// On reports whether following is turned on, paused or not.
func (f *Follow) On() bool { return f.on }

// Paused reports whether the user's own moves hold following back.
func (f *Follow) Paused() bool { return f.on && f.paused }

// Set turns following on or off. Turning on, also when it is on already, ends
// a pause and makes the latest location due.
func (f *Follow) Set(on bool) {
	f.on = on
	f.shown = FileLocation{}
	f.Resume()
}

// Toggle turns following on where it is off or paused, and off where it is on,
// and reports whether it is on now.
func (f *Follow) Toggle() bool {
	f.Set(!f.on || f.paused)
	return f.on
}

// Pause is to be called when the user scrolls, types or switches to something
// else in the pane that follows. What was due is not revealed any more.
func (f *Follow) Pause() {
	f.paused = f.on
	f.due = false
}

// Resume ends a pause. The latest location is due again, unless it is where
// the front end was sent last.
func (f *Follow) Resume() {
	f.paused = false
	f.due = f.on && f.latest.Path != "" && f.latest != f.shown
}

// Locate takes the locations of a call that is announced or refined. The first
// of them counts, since it is the one that the card's title is about. What is
// shown already is not revealed again.
func (f *Follow) Locate(locations []FileLocation) {
	if len(locations) == 0 || locations[0].Path == "" {
		return
	}
	f.latest = locations[0]
	f.due = f.on && !f.paused && f.latest != f.shown
}

// EndTurn forgets the locations of the turn; marks are to be removed. The next
// turn starts without a pause.
func (f *Follow) EndTurn() {
	f.latest, f.shown = FileLocation{}, FileLocation{}
	f.due, f.paused = false, false
}

// Next returns the location to reveal at the time now, once. ok false means
// that there is nothing to do yet, see [Follow.Due].
func (f *Follow) Next(now time.Time) (location FileLocation, ok bool) {
	at, due := f.Due()
	if !due || now.Before(at) {
		return FileLocation{}, false
	}
	f.due = false
	f.shown, f.shownAt = f.latest, now
	return f.shown, true
}

// Due returns the earliest time at which Next will have something to reveal;
// ok is false while nothing is due. A time that has passed, or the zero time,
// means at once.
func (f *Follow) Due() (at time.Time, ok bool) {
	if !f.due {
		return time.Time{}, false
	}
	if f.shownAt.IsZero() {
		return time.Time{}, true
	}
	return f.shownAt.Add(RevealInterval), true
}
