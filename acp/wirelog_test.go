package acp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestWireLog(t *testing.T) {
	var log bytes.Buffer
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("x", 3600))
	l := NewWireLog(&log, func() time.Time { return at })
	for _, tt := range []struct{ line, want string }{
		{`{"method":"a","params":{"text":"plain <b>"}}`, `{"method":"a","params":{"text":"plain <b>"}}`},
		{`{"env":[{"name":"A","value":"s3"}],"big":12345678901234567890}`, `{"big":12345678901234567890,"env":[{"name":"A","value":"[redacted]"}]}`},
		{`{"env":{"A":"s3","value":"v"}}`, `{"env":{"A":"[redacted]","value":"[redacted]"}}`},
		{`{"headers":[{"name":"X","value":"s3","_meta":{"k":"s3"}}]}`, `{"headers":[{"_meta":"[redacted]","name":"X","value":"[redacted]"}]}`},
		{`{"headers":{"Authorization":"s3"}}`, `{"headers":{"Authorization":"[redacted]"}}`},
		{`{"_meta":{"api-key":"s3","provider":"p"}}`, `{"_meta":{"api-key":"[redacted]","provider":"p"}}`},
		{`{"a":[{"accessToken":["s3"]},{"Password":"s3","tokens":5}]}`, `{"a":[{"accessToken":["[redacted]"]},{"Password":"[redacted]","tokens":5}]}`},
		{`{"secret":"s3","key":"s3","keyboard":"qwerty"}`, `{"key":"[redacted]","keyboard":"qwerty","secret":"[redacted]"}`},
	} {
		log.Reset()
		l.Line(Received, []byte(tt.line))
		want := `{"time":"2026-01-02T02:04:05.000000006Z","dir":"in","msg":` + tt.want + "}\n"
		if log.String() != want {
			t.Errorf("logged %swant   %s", log.String(), want)
		}
		if strings.Contains(log.String(), "s3") {
			t.Errorf("a secret is in %s", log.String())
		}
	}
	var none *WireLog
	none.Line(Sent, []byte("{}")) // writes nothing
}

func TestWireLogOfAConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log lockedBuffer
		w := newWire(t, Options{WireLog: NewWireLog(&log, time.Now), MaxLine: 100}, echo)
		w.send("junk\n" + strings.Repeat("x", 200) + "\n" + `{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}` + "\n")
		for range 3 {
			w.line()
		}
		synctest.Wait()
		var got []string
		for line := range strings.Lines(log.String()) {
			var e struct {
				Dir, Skipped string
				Msg          json.RawMessage
			}
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			got = append(got, fmt.Sprintf("%s %s%t", e.Dir, e.Msg, e.Skipped != ""))
		}
		want := []string{
			"in true", `out {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error: the line is not JSON"}}false`,
			"in true", `out {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: the line is longer than 100 bytes"}}false`,
			`in {"jsonrpc":"2.0","id":1,"method":"ping","params":{}}false`, `out {"jsonrpc":"2.0","id":1,"result":{}}false`,
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("logged\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
