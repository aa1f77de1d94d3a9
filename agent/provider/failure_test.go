package provider

import (
	"net/http"
	"testing"
	"time"
)

func TestWhenServersWantToBeAskedAgain(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tc := range []struct {
		name, value string
		want        time.Duration
	}{
		{"Retry-After", "7", 7 * time.Second}, {"Retry-After", "0.5", 500 * time.Millisecond}, {"Retry-After-Ms", "250", 250 * time.Millisecond},
		{"Retry-After", now.Add(time.Minute).Format(http.TimeFormat), time.Minute}, {"Retry-After", now.Add(-time.Minute).Format(http.TimeFormat), 0},
		{"Retry-After", "soon", 0}, {"Retry-After", "-3", 0}, {"X-Other", "7", 0},
	} {
		if got := retryAfter(http.Header{tc.name: {tc.value}}, now); got != tc.want {
			t.Errorf("%s: %s is %v, want %v", tc.name, tc.value, got, tc.want)
		}
	}
	if got := retryAfter(nil, now); got != 0 {
		t.Errorf("nothing is %v", got)
	}
}
