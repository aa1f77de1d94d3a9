//go:build race

package conformance

// underRace says that the race detector is on, here and in the program.
const underRace = true
