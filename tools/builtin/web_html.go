package builtin

import (
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// convertHTML returns the title of a page and its content in the format.
// Links become absolute. A page that the parser refuses, because it is nested
// too deeply, gives the text between its tags.
func convertHTML(text, format string, pageURL *url.URL) (title, content string) {
	doc, err := html.Parse(strings.NewReader(text))
	if err != nil {
		if format == "html" {
			return "", text
		}
		return "", betweenTags(text)
	}
	title = htmlTitle(doc)
	switch format {
	case "html":
		return title, text
	case "text":
		return title, htmlText(doc, pageURL)
	}
	// Escaping what looks like Markdown would cost the square of the length,
	// and readers of the text are better off without it.
	c := converter.NewConverter(
		converter.WithEscapeMode(converter.EscapeModeDisabled),
		converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin(table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal))),
	)
	prune(doc, 0)
	markdown, err := c.ConvertNode(doc, converter.WithDomain(pageURL.String()))
	if err != nil {
		return title, htmlText(doc, pageURL)
	}
	return title, string(markdown)
}

// htmlTitle is the text of the first title element, on one line.
func htmlTitle(n *html.Node) string {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && d.DataAtom == atom.Title && d.Namespace == "" {
			var b strings.Builder
			for c := range d.ChildNodes() {
				b.WriteString(c.Data)
			}
			return strings.Join(strings.Fields(b.String()), " ")
		}
	}
	return ""
}

// hiddenElements hold nothing that a reader sees.
var hiddenElements = map[atom.Atom]bool{
	atom.Head: true, atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Iframe: true,
	atom.Svg: true, atom.Object: true, atom.Canvas: true, atom.Input: true, atom.Textarea: true, atom.Select: true,
}

// inlineElements stay on the line that they are in; all others begin and end
// one.
var inlineElements = map[atom.Atom]bool{
	atom.A: true, atom.Abbr: true, atom.B: true, atom.Bdi: true, atom.Bdo: true, atom.Cite: true, atom.Code: true, atom.Data: true,
	atom.Del: true, atom.Dfn: true, atom.Em: true, atom.Font: true, atom.I: true, atom.Img: true, atom.Ins: true, atom.Kbd: true,
	atom.Label: true, atom.Mark: true, atom.Q: true, atom.S: true, atom.Samp: true, atom.Small: true, atom.Span: true,
	atom.Strong: true, atom.Sub: true, atom.Sup: true, atom.Time: true, atom.U: true, atom.Var: true, atom.Wbr: true, atom.Td: true, atom.Th: true,
}

// textWriter collects the visible text of a page.
type textWriter struct {
	out  strings.Builder
	base *url.URL
	pre  int // how many pre elements are open
}

// blankRuns are three and more line ends, with the spaces around them.
var blankRuns = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[ \t]*\n([ \t]*\n){2,}`) })

// lineEndSpaces are the spaces before a line end.
var lineEndSpaces = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[ \t]+\n`) })

// htmlText is what a reader sees, a line for each block, links with their
// addresses behind them.
func htmlText(doc *html.Node, pageURL *url.URL) string {
	w := textWriter{base: pageURL}
	w.node(doc)
	text := blankRuns().ReplaceAllString(w.out.String(), "\n\n")
	return strings.TrimSpace(lineEndSpaces().ReplaceAllString(text, "\n"))
}

func (w *textWriter) node(n *html.Node) {
	switch {
	case n.Type == html.TextNode:
		w.text(n.Data)
		return
	case n.Type == html.ElementNode && hiddenElements[n.DataAtom]:
		return
	case n.Type != html.ElementNode:
		w.children(n)
		return
	}
	if n.DataAtom == atom.Br {
		w.out.WriteByte('\n')
		return
	}
	if n.DataAtom == atom.Pre {
		w.pre++
		defer func() { w.pre-- }()
	}
	inline := inlineElements[n.DataAtom]
	if !inline {
		w.newline()
	}
	w.children(n)
	if n.DataAtom == atom.A {
		w.link(htmlAttribute(n, "href"))
	}
	if n.DataAtom == atom.Td || n.DataAtom == atom.Th {
		w.out.WriteByte('\t')
	}
	if !inline {
		w.newline()
	}
}

func (w *textWriter) children(n *html.Node) {
	for c := range n.ChildNodes() {
		w.node(c)
	}
}

// text adds text, white space folded outside of pre.
func (w *textWriter) text(s string) {
	if w.pre > 0 {
		w.out.WriteString(s)
		return
	}
	words := strings.Join(strings.Fields(s), " ")
	if strings.TrimLeft(s, " \t\r\n") != s && !w.atSpace() {
		w.out.WriteByte(' ')
	}
	w.out.WriteString(words)
	if words != "" && strings.TrimRight(s, " \t\r\n") != s {
		w.out.WriteByte(' ')
	}
}

func (w *textWriter) atSpace() bool {
	s := w.out.String()
	return s == "" || strings.ContainsRune(" \t\n", rune(s[len(s)-1]))
}

func (w *textWriter) newline() {
	if s := w.out.String(); s != "" {
		w.out.WriteByte('\n')
	}
}

// link adds the absolute address of a link to another page.
func (w *textWriter) link(href string) {
	if u, err := w.base.Parse(href); err == nil && href != "" && !strings.HasPrefix(href, "#") && (u.Scheme == "http" || u.Scheme == "https") {
		w.out.WriteString(" (" + u.String() + ")")
	}
}

func htmlAttribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}

// betweenTags is the text of a page without a tree of it. Scripts and styles
// are left out.
func betweenTags(text string) string {
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(text))
	skip := false
	for {
		switch z.Next() {
		case html.ErrorToken:
			return strings.TrimSpace(b.String())
		case html.TextToken:
			if !skip {
				b.Write(z.Text())
			}
		case html.StartTagToken:
			name, _ := z.TagName()
			skip = hiddenElements[atom.Lookup(name)] && string(name) != "head"
		case html.EndTagToken:
			skip = false
		}
	}
}
