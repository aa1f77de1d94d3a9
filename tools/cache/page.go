package cache

import (
	"errors"
	"fmt"
	"io"
)

// The bounds of a page (tools.md §1.6.3).
const (
	MaxPageBytes    = 65_536
	MaxLineClusters = 1_000
)

// ellipsis ends a line that was clipped.
const ellipsis = "..."

// Page is a window of lines.
type Page struct {
	// Lines are clipped to MaxLineClusters, with "..." after them; together
	// they fit into MaxPageBytes as Numbered prints them.
	Lines []Line
	// More says that lines follow; Full that the bytes ended the page.
	More, Full bool
	// Beyond says that there is no line at the offset.
	Beyond bool
}

// Numbered returns line as the cache tools print it.
func Numbered(l Line) string { return fmt.Sprintf("%5d  %s", l.Number, l.Text) }

// ReadPage returns at most limit lines of r from offset (0-based) on; limit 0
// or less means as many as fit.
func ReadPage(r io.Reader, offset, limit int64) (Page, error) {
	lines := NewLineReader(r)
	if _, err := lines.Skip(max(offset, 0)); err != nil {
		return Page{}, err
	}
	var p Page
	size := 0
	for limit <= 0 || int64(len(p.Lines)) < limit {
		line, err := lines.Next(MaxPageBytes)
		if errors.Is(err, io.EOF) {
			p.Beyond = len(p.Lines) == 0
			return p, nil
		}
		if err != nil {
			return Page{}, err
		}
		clipLine(&line)
		size += len(Numbered(line)) + 1
		if size > MaxPageBytes {
			p.More, p.Full = true, true
			if len(p.Lines) == 0 {
				shrink(&line, size-MaxPageBytes)
				p.Lines = append(p.Lines, line)
				p.More, _ = lines.More()
			}
			return p, nil
		}
		p.Lines = append(p.Lines, line)
	}
	more, err := lines.More()
	p.More = more
	return p, err
}

// clipLine clips l to MaxLineClusters.
func clipLine(l *Line) {
	text, clipped := ClipClusters(l.Text, MaxLineClusters)
	if l.Cut = l.Cut || clipped; l.Cut {
		l.Text = text + ellipsis
	}
}

// shrink takes at least n bytes from the end of l.
func shrink(l *Line, n int) {
	text := l.Text
	if l.Cut {
		text = text[:len(text)-len(ellipsis)]
	}
	l.Text = clipBytes(text, len(text)-n-len(ellipsis)) + ellipsis
	l.Cut = true
}
