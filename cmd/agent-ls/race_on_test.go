//go:build race

package main

// raceDetector says whether the program under test has the race detector.
const raceDetector = true
