package agent

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestAKickDuringASendCounts: what comes when send has looked already is sent,
// too, though nobody kicks again.
func TestAKickDuringASendCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pacer
		sends := 0
		p.send = func() (more bool) {
			if sends++; sends == 1 {
				p.kick()
			}
			return false
		}
		p.kick()
		time.Sleep(10 * pace)
		p.stop()
		if sends != 2 {
			t.Errorf("%d sends, want 2", sends)
		}
	})
}
