package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"github.com/sourcegraph/conc/panics"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxNodes is how many nodes are converted to Markdown. Each takes some hundred bytes of
// memory.
const maxNodes = 200_000

// maxCells is how many cells the tables of a page may have to be drawn as tables, if all rows are as wide
// as the widest. Beyond that only the words of the cells are left.
const maxCells = 100_000

// convert converts HTML to Markdown or plain text. It gives up when ctx is done.
func convert(ctx context.Context, source []byte, address *url.URL, format string) ([]byte, error) {
	doc, err := html.Parse(patient{ctx, bytes.NewReader(source)})
	if err != nil {
		return nil, fmt.Errorf("the HTML can't be read: %w", err)
	}
	t := tidier{base: baseOf(doc, address)}
	t.tidy(doc)
	if t.nodes > maxNodes {
		return nil, errors.New("the HTML has too many elements to be converted")
	}
	if format == asText {
		return plainText(doc), nil
	}
	var text []byte
	crash := panics.Try(func() { text, err = markdown(tableCells(doc) <= maxCells).ConvertNode(doc) })
	if crash != nil {
		return nil, errors.New("the HTML can't be converted")
	}
	return text, err
}

// markdown returns a converter that escapes nothing: the Markdown is for reading, not for
// rendering, and the library's search for what to escape takes quadratic time.
func markdown(tables bool) *converter.Converter {
	plugins := []converter.Plugin{base.NewBasePlugin(), commonmark.NewCommonmarkPlugin()}
	if tables {
		plugins = append(plugins, table.NewTablePlugin())
	}
	return converter.NewConverter(converter.WithPlugins(plugins...), converter.WithEscapeMode(converter.EscapeModeDisabled))
}

// patient reads in small pieces until ctx is done, which so ends a parser.
type patient struct {
	ctx  context.Context
	from io.Reader
}

// Read reads at most a little.
func (p patient) Read(b []byte) (int, error) {
	const little = 4 << 10
	if p.ctx.Err() != nil {
		return 0, context.Cause(p.ctx)
	}
	return p.from.Read(b[:min(len(b), little)])
}

// baseOf returns the address from which the relative links of a page start.
func baseOf(doc *html.Node, address *url.URL) *url.URL {
	for n := range doc.Descendants() {
		if n.DataAtom != atom.Base {
			continue
		}
		if at, err := address.Parse(strings.TrimSpace(attribute(n, "href"))); err == nil {
			return at
		}
	}
	return address
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Namespace == "" && a.Key == name {
			return a.Val
		}
	}
	return ""
}

// tidier removes what is not text, and makes links absolute.
type tidier struct {
	base  *url.URL
	nodes int
}

// tidy tidies the children of n. The parser limits their nesting.
func (t *tidier) tidy(n *html.Node) {
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		t.nodes++
		if unseen(child) {
			n.RemoveChild(child)
		} else {
			t.absolute(child)
			t.tidy(child)
		}
		child = next
	}
}

// unseen reports whether a node is not meant to be read.
func unseen(n *html.Node) bool {
	if n.Type == html.CommentNode {
		return true
	}
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Iframe, atom.Object, atom.Embed, atom.Svg, atom.Canvas:
		return true
	}
	return false
}

// absolute makes the links of a node absolute, and removes those that do not lead to a page,
// such as javascript: and data:. It also removes the spans of table cells.
func (t *tidier) absolute(n *html.Node) {
	n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "colspan" || a.Key == "rowspan" })
	for i, a := range n.Attr {
		if a.Key != "href" && a.Key != "src" {
			continue
		}
		to, err := t.base.Parse(strings.TrimSpace(a.Val))
		if err != nil || to.Scheme != "http" && to.Scheme != "https" && to.Scheme != "mailto" {
			n.Attr[i].Val = ""
			continue
		}
		n.Attr[i].Val = to.String()
	}
}

// tableCells returns how many cells the tables of a page have at most: as if each row were as wide as
// the widest one, as a table draws it.
func tableCells(doc *html.Node) int {
	rows, widest := 0, 0
	for row := range doc.Descendants() {
		if row.DataAtom != atom.Tr {
			continue
		}
		width := 0
		for range row.ChildNodes() {
			width++
		}
		rows, widest = rows+1, max(widest, width)
	}
	return rows * widest
}
