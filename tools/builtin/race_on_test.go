//go:build race

package builtin

// raceDetector says that tests are many times slower than usual.
const raceDetector = true
