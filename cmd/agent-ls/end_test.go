package main

import (
	"log/slog"
	"testing"
	"time"
)

func TestLastResort(t *testing.T) {
	forced := make(chan int, 1)
	stop := lastResort(time.Hour, slog.New(slog.DiscardHandler), func(code int) { forced <- code })
	if !stop() || len(forced) > 0 {
		t.Error("an orderly end was not taken as one")
	}
	lastResort(0, slog.New(slog.DiscardHandler), func(code int) { forced <- code })
	if code := <-forced; code != exitFailed {
		t.Errorf("ended by force with %d", code)
	}
}
