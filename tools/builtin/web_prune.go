package builtin

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// indentingElements put something before each of their lines.
var indentingElements = map[atom.Atom]bool{atom.Blockquote: true, atom.Ul: true, atom.Ol: true, atom.Dl: true, atom.Dd: true}

// standsAlone are elements that mean something without content.
var standsAlone = map[atom.Atom]bool{atom.Br: true, atom.Hr: true, atom.Img: true, atom.Td: true, atom.Th: true, atom.Wbr: true}

// Bounds of what a converter multiplies.
const (
	maxIndent    = 8    // indenting elements in each other: each adds to every line
	freeCells    = 1000 // of a table that may be filled up
	maxFilledUp  = 4    // how many times its cells a larger table may have
	spanningKeys = "colspan rowspan"
)

// prune makes a tree that is cheap to convert and holds what readers see:
// elements that are hidden or empty go, indentation beyond maxIndent, spans of
// cells, and the grid of tables whose rows differ too much. It reports whether
// anything of n is seen.
func prune(n *html.Node, indent int) (seen bool) {
	switch {
	case n.Type == html.TextNode:
		return strings.TrimSpace(n.Data) != ""
	case n.Type == html.ElementNode && hiddenElements[n.DataAtom]:
		return false
	case n.Type != html.ElementNode && n.Type != html.DocumentNode:
		return false
	}
	if indentingElements[n.DataAtom] {
		indent++
	}
	simplify(n, indent)
	for c, next := n.FirstChild, (*html.Node)(nil); c != nil; c = next {
		next = c.NextSibling
		visible := prune(c, indent)
		if !visible && c.Type != html.TextNode {
			n.RemoveChild(c)
		}
		seen = seen || visible
	}
	return seen || standsAlone[n.DataAtom]
}

// simplify changes an element that would make its content grow.
func simplify(n *html.Node, indent int) {
	switch {
	case indentingElements[n.DataAtom] && indent > maxIndent:
		rename(n, atom.Div)
	case n.DataAtom == atom.Table && growing(n):
		for d := range n.Descendants() {
			if tableElements[d.DataAtom] {
				rename(d, atom.Div)
			}
		}
		rename(n, atom.Div)
	case n.DataAtom == atom.Td || n.DataAtom == atom.Th:
		n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return strings.Contains(spanningKeys, a.Key) })
	}
}

// tableElements are what a table consists of.
var tableElements = map[atom.Atom]bool{
	atom.Table: true, atom.Thead: true, atom.Tbody: true, atom.Tfoot: true, atom.Tr: true, atom.Td: true, atom.Th: true, atom.Caption: true,
}

// growing reports whether a table filled up to a rectangle has many more cells
// than it holds.
func growing(t *html.Node) bool {
	rows, widest, cells := 0, 0, 0
	for d := range t.Descendants() {
		if d.DataAtom != atom.Tr {
			continue
		}
		rows++
		width := 0
		for c := range d.ChildNodes() {
			if c.DataAtom == atom.Td || c.DataAtom == atom.Th {
				width++
			}
		}
		widest, cells = max(widest, width), cells+width
	}
	return rows*widest > freeCells+maxFilledUp*cells
}

func rename(n *html.Node, to atom.Atom) { n.Data, n.DataAtom = to.String(), to }
