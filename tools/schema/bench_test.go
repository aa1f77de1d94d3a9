package schema

import (
	"bytes"
	"testing"
)

type benchEdit struct {
	Old string `json:"old_string" minLength:"1"`
	New string `json:"new_string"`
}

type benchArgs struct {
	Path    string      `json:"file_path" desc:"path"`
	Edits   []benchEdit `json:"edits,omitempty"`
	Start   int         `json:"start_line,omitempty" min:"1"`
	End     int         `json:"end_line,omitempty" min:"1"`
	Mode    string      `json:"match_mode,omitempty" enum:"exact,trimmed,fuzzy"`
	Hash    string      `json:"expected_hash,omitempty" pattern:"^[0-9a-f]{8}$"`
	DryRun  bool        `json:"dry_run,omitempty"`
	Numbers []float64   `json:"numbers,omitempty"`
}

// benchArguments is about 1 KB, with escapes, nesting and numbers.
func benchArguments() []byte {
	var b bytes.Buffer
	b.WriteString(`{"file_path":"src/a.go","start_line":3,"end_line":12,"match_mode":"trimmed",` +
		`"expected_hash":"0011aabb","dry_run":true,"numbers":[1,2.5,3e2,-4],"edits":[`)
	for i := range 6 {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"old_string":"func main() {\n\tfmt.Println(\"hello\")\n}\n// the rest of it stays",` +
			`"new_string":"func main() {\n\tlog.Println(x)\n}"}`)
	}
	b.WriteString(`]}`)
	return b.Bytes()
}

// BenchmarkValidate has a goal: under 10 µs for 1 KB of arguments.
func BenchmarkValidate(b *testing.B) {
	s := mustOf[benchArgs](b)
	data := benchArguments()
	if vs := s.Validate(data); len(vs) > 0 {
		b.Fatal(Join(vs))
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		s.Validate(data)
	}
}

func BenchmarkLossless(b *testing.B) {
	data := benchArguments()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if err := Lossless(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCanonical(b *testing.B) {
	data := benchArguments()
	b.ReportAllocs()
	for b.Loop() {
		Canonical(data)
	}
}

func BenchmarkMarshal(b *testing.B) {
	s := mustOf[benchArgs](b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.MarshalJSON(); err != nil {
			b.Fatal(err)
		}
	}
}

func mustOf[T any](tb testing.TB) *Schema {
	tb.Helper()
	s, err := Of[T]()
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func mustParse(tb testing.TB, d Dialect, text string) *Schema {
	tb.Helper()
	s, err := Parse(d, []byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	return s
}
