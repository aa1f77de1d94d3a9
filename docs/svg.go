//go:build ignore

// This program draws the coloured output of a terminal program as an SVG
// picture. The picture of the README is made by
//
//	go build ./cmd/agent-ls
//	script -qec './agent-ls demo' /dev/null | go run docs/svg.go > docs/demo.svg
package main

import (
	"bufio"
	"fmt"
	"html"
	"math"
	"os"
	"regexp"
	"strings"
)

// Sizes in pixels; columns of text stand beside each other.
const (
	columns    = 2
	perColumn  = 84 // characters
	lineHeight = 17
	charWidth  = 7.8 // of the font size below
	margin     = 16
)

// styles are the attributes of a text by the code that switches them on.
var styles = map[string]string{
	"1": `font-weight="bold" fill="#f0f3f6"`, "2": `fill="#8b949e"`,
	"31": `fill="#ff7b72"`, "32": `fill="#56d364"`, "34": `fill="#79c0ff"`,
}

var code = regexp.MustCompile(`\x1b\[([0-9;]*)m`)

func main() {
	lines, err := read()
	if err != nil {
		fmt.Fprintln(os.Stderr, "svg:", err)
		os.Exit(1)
	}
	rows := (len(lines) + columns - 1) / columns
	rows = cut(lines, rows)
	width, height := int(math.Ceil(columns*perColumn*charWidth))+2*margin, rows*lineHeight+2*margin
	fmt.Printf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">\n", width, height, width, height)
	fmt.Println("<title>agent-ls demo in a terminal</title>")
	fmt.Printf("<rect width=\"100%%\" height=\"100%%\" rx=\"8\" fill=\"#0d1117\"/>\n")
	fmt.Println(`<g font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="13" fill="#c9d1d9" xml:space="preserve">`)
	for i, line := range lines {
		x := margin + int(float64(i/rows*perColumn)*charWidth)
		y := margin + (i%rows+1)*lineHeight - 4
		if text := spans(line); text != "" {
			fmt.Printf("<text x=\"%d\" y=\"%d\">%s</text>\n", x, y, text)
		}
	}
	fmt.Println("</g>\n</svg>")
}

// read reads the lines, each no longer than a column.
func read() ([]string, error) {
	var lines []string
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		lines = append(lines, shorten(strings.TrimRight(in.Text(), "\r")))
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines, in.Err()
}

// cut moves the end of the first column to the end of a card, if one is near.
func cut(lines []string, rows int) int {
	for more := range 8 {
		if at := rows + more; at <= len(lines) && lines[at-1] == "" {
			return at
		}
	}
	return rows
}

// shorten cuts a line that is too long for its column.
func shorten(line string) string {
	n, inCode := 0, false
	for i, r := range line {
		switch {
		case r == '\x1b':
			inCode = true
		case inCode:
			inCode = r != 'm'
		default:
			if n++; n == perColumn-2 {
				return line[:i] + "…\x1b[0m"
			}
		}
	}
	return line
}

// spans turns a line with colour codes into text of an SVG.
func spans(line string) string {
	var b strings.Builder
	style := ""
	for line != "" {
		at := code.FindStringSubmatchIndex(line)
		text := line
		if at != nil {
			text = line[:at[0]]
		}
		switch {
		case text == "":
		case style == "":
			b.WriteString(html.EscapeString(text))
		default:
			fmt.Fprintf(&b, "<tspan %s>%s</tspan>", style, html.EscapeString(text))
		}
		if at == nil {
			break
		}
		style, line = styles[line[at[2]:at[3]]], line[at[1]:]
	}
	return b.String()
}
