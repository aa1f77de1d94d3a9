package provider_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-ls/agent-ls/internal/modelserver"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// The requests, as a server sees them: the same conversation in each protocol.
func TestRequests(t *testing.T) {
	for api, open := range models {
		var body []byte
		s := server(t, func(q modelserver.Request) modelserver.Reply {
			body = q.Body
			return modelserver.Reply{Text: "ok"}
		})
		req := request()
		req.Thinking = "high"
		if _, err := ask(context.Background(), open(endpoint(s.URL)), req); err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := json.Indent(&got, body, "", "  "); err != nil {
			t.Fatal(err)
		}
		got.WriteByte('\n')
		file := filepath.Join("testdata", string(api)+".json")
		if *update {
			if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s sends\n%s\nwant\n%s", api, &got, want)
		}
	}
}
