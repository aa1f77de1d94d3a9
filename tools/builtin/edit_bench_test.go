package builtin

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// BenchmarkEditLargeFile changes one line of a 10 MB file, from the arguments
// to the card, with the diff.
func BenchmarkEditLargeFile(b *testing.B) {
	shapes := []struct {
		name string
		args func(i int) args
	}{
		{"text", func(i int) args {
			return args{"file_path": "big.txt", "old_string": fmt.Sprintf("marked line %d\n", i), "new_string": fmt.Sprintf("marked line %d\n", i+1)}
		}},
		{"lines", func(i int) args {
			return args{"file_path": "big.txt", "start_line": 130_001, "end_line": 130_001, "content": fmt.Sprintf("marked line %d\n", i+1)}
		}},
	}
	for _, shape := range shapes {
		b.Run(shape.name, func(b *testing.B) {
			s := makeSession(b, b.TempDir(), Options{})
			half := strings.Repeat("a line of forty characters, more or less\n", 130_000)
			s.write("big.txt", half+"marked line 0\n"+half)
			s.ok("read", args{"file_path": "big.txt", "limit": 1})
			var busy time.Duration
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				cpu := processTime()
				s.ok("edit", shape.args(i))
				busy += processTime() - cpu
				if len(s.diffs()) != 1 {
					b.Fatal("no diff")
				}
			}
			b.ReportMetric(float64(busy.Microseconds())/1000/float64(b.N), "cpu-ms/op")
		})
	}
}
