// Package script is the model that plays a JSON file, for tests, demos and bug
// reports (contract §2).
//
// It owns the format of such a file, its checks, its playing, and its recording
// from other models (Recorder). A model that plays keeps no state: which turn
// to play follows from the number of user messages in the request, and where to
// go on in it from the batches that were run since. Safe for concurrent use; a
// Script is not changed after it was parsed.
package script
