package acp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// FuzzFraming reads arbitrary input: whatever comes, what is written are whole
// lines, each a JSON-RPC response, at most one a line of input, and the
// connection ends without an error.
func FuzzFraming(f *testing.F) {
	for _, seed := range []string{
		"\n\r\n  \n", "{}\n", "[]\n[1]\n", "{\"id\":1,\"method\":\"ping\"}", "\xff\n", "{\"id\":\"\\ud800\",\"method\":\"x\"}\n",
		"{\"method\":\"$/cancel_request\",\"params\":{\"requestId\":1}}\n", "{\"id\":1000000001,\"result\":{}}\n",
		"{\"id\":null,\"method\":\"fail\",\"params\":[1]}\n{\"id\":1,\"id\":2,\"method\":\"a\\nb\"}\n", "{\"id\":-0.0e5,\"method\":\"\"}\n",
		strings.Repeat("x", 300) + "\n{\"id\":7,\"method\":\"ping\",\"params\":{\"_meta\":null}}\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var out lockedBuffer
		c := NewConn(&halves{bytes.NewReader(in), &out}, Options{MaxLine: 256})
		c.Go(t.Context(), echo)
		<-c.Done()
		if err := c.Err(); err != nil {
			t.Errorf("ended with %v", err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		checkAnswers(t, out.String(), bytes.Count(in, []byte("\n"))+1)
	})
}

func checkAnswers(t *testing.T, out string, most int) {
	if out != "" && !strings.HasSuffix(out, "\n") {
		t.Errorf("the last line is not whole: %q", out)
	}
	n := 0
	for lines := bufio.NewScanner(strings.NewReader(out)); lines.Scan(); n++ {
		var m map[string]json.RawMessage
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		_, isResult := m["result"]
		_, isError := m["error"]
		if len(m) != 3 || string(m["jsonrpc"]) != `"2.0"` || m["id"] == nil || isResult == isError {
			t.Errorf("no response: %s", lines.Text())
		}
	}
	if n > most {
		t.Errorf("%d answers to %d lines", n, most)
	}
}

// FuzzDecode reads arbitrary JSON as every type: what is accepted encodes, and
// what was encoded decodes to the same.
func FuzzDecode(f *testing.F) {
	for _, file := range []string{"testdata/unions.jsonl", "testdata/messages.jsonl"} {
		for _, g := range goldens(f, file) {
			f.Add([]byte(g.Value))
		}
	}
	f.Add([]byte(`[{"type":null}]`))
	names := make([]string, 0, len(messageTypes))
	for name := range messageTypes {
		names = append(names, name)
	}
	slices.Sort(names)
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, name := range names {
			v := reflect.New(messageTypes[name])
			if Decode(in, v.Interface()) != nil {
				continue
			}
			once, err := Encode(v.Elem().Interface())
			if err != nil {
				t.Fatalf("%s accepted %s, but does not encode: %v", name, in, err)
			}
			twice, _ := roundTrip(t, messageTypes[name], once)
			if string(once) != string(twice) {
				t.Errorf("%s: %s became %s", name, once, twice)
			}
		}
	})
}

// BenchmarkNotify is the cost of one streamed piece of output.
func BenchmarkNotify(b *testing.B) {
	c := NewConn(&halves{strings.NewReader(""), io.Discard}, Options{})
	update := SessionNotification{SessionID: "s", Update: ToolCallUpdate{
		ToolCallID: "c", Meta: NewMeta("terminal_output", map[string]string{"terminal_id": "c", "data": strings.Repeat("line of output\n", 500)}),
	}}
	b.ReportAllocs()
	for b.Loop() {
		raw, err := Encode(update)
		if err != nil {
			b.Fatal(err)
		}
		if err := c.Notify(b.Context(), MethodSessionUpdate, raw); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDecodePrompt is the cost of reading a large prompt.
func BenchmarkDecodePrompt(b *testing.B) {
	raw, err := Encode(PromptRequest{SessionID: "s", Prompt: List[ContentBlock]{Text(strings.Repeat("some text\n", 100_000))}})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		var p PromptRequest
		if err := Decode(raw, &p); err != nil {
			b.Fatal(err)
		}
	}
}
