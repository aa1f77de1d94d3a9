//go:build !race

package conformance

// underRace says that the race detector is on, here and in the program.
const underRace = false

// slowdown is how much more patience the cases have than without the race
// detector.
const slowdown = 1
