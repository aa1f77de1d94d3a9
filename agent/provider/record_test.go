package provider_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-ls/agent-ls/agent/provider"
	"github.com/agent-ls/agent-ls/internal/modelserver"
)

// The traffic is copied without keys, in files that nobody else can read.
func TestRecordedTraffic(t *testing.T) {
	for api, open := range models {
		dir := filepath.Join(t.TempDir(), "new", "folder")
		replies := []modelserver.Reply{
			{Text: "your key is " + secret, Pieces: 1},
			{Status: 401, Body: `{"error":{"message":"wrong key ` + secret + `"}}`, Header: map[string]string{"Set-Cookie": secret}},
		}
		s := server(t, func(q modelserver.Request) modelserver.Reply { return replies[q.Number-1] })
		e := endpoint(s.URL)
		recorder := provider.NewRecorder(dir, time.Unix(0, 0), e.Key.Redact, slog.New(slog.DiscardHandler))
		e.Client = provider.NewClient(time.Minute, recorder)
		m := open(e)
		req := request()
		req.Messages[0].Blocks[0].Text = "the key " + secret + " was pasted"
		for range replies {
			_, _ = ask(context.Background(), m, req) // one of them is refused
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.json"))
		if err != nil || len(files) != 2 {
			t.Fatalf("%s: %q, %v", api, files, err)
		}
		for i, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var e struct {
				Method, URL, Response string
				Request               json.RawMessage
				Status                int
			}
			if err := json.Unmarshal(data, &e); err != nil || e.Method != http.MethodPost || len(e.Request) < 100 || e.Response == "" || e.Status != max(replies[i].Status, 200) {
				t.Errorf("%s: %v in\n%s", api, err, data)
			}
			if strings.Contains(string(data), secret) {
				t.Errorf("%s: the key is in\n%s", api, data)
			}
			if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
				t.Errorf("%s: mode %v, %v", api, info.Mode(), err)
			}
		}
	}
}

func TestListsOfModels(t *testing.T) {
	s := server(t, nil)
	for api, list := range listers(s.URL) {
		got, err := list(context.Background())
		if err != nil || len(got) != 2 || got[0].ID != "m1" || got[1].ContextSize != 100_000 {
			t.Errorf("%s: %+v, %v", api, got, err)
		}
	}
}
