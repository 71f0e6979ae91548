package web

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// plainText returns the words of a page, with each block on its own lines.
func plainText(doc *html.Node) []byte {
	var p plain
	p.children(doc, false)
	return bytes.TrimSpace(p.text.Bytes())
}

type plain struct {
	text  bytes.Buffer
	blank bool // there is white space before the next word
}

func (p *plain) children(n *html.Node, verbatim bool) {
	for child := range n.ChildNodes() {
		switch {
		case child.Type == html.TextNode && verbatim:
			p.text.WriteString(child.Data)
		case child.Type == html.TextNode:
			p.words(child.Data)
		case child.DataAtom == atom.Br:
			p.newline()
		case child.DataAtom == atom.Head:
		default:
			p.element(child, verbatim)
		}
	}
}

func (p *plain) element(n *html.Node, verbatim bool) {
	if isCell(n) {
		p.blank = true
	}
	block := isBlock(n)
	if block {
		p.newline()
	}
	p.children(n, verbatim || n.DataAtom == atom.Pre)
	if block {
		p.newline()
	}
}

// words writes text with each run of white space replaced by one blank.
func (p *plain) words(text string) {
	words := strings.Fields(text)
	if len(words) == 0 {
		p.blank = p.blank || text != ""
		return
	}
	if (p.blank || strings.TrimLeft(text, " \t\r\n\f") != text) && !p.fresh() {
		p.text.WriteByte(' ')
	}
	p.text.WriteString(strings.Join(words, " "))
	p.blank = strings.TrimRight(text, " \t\r\n\f") != text
}

// fresh reports whether the line is still empty.
func (p *plain) fresh() bool {
	b := p.text.Bytes()
	return len(b) == 0 || b[len(b)-1] == '\n'
}

func (p *plain) newline() {
	if !p.fresh() {
		p.text.WriteByte('\n')
	}
	p.blank = false
}

func isCell(n *html.Node) bool { return n.DataAtom == atom.Td || n.DataAtom == atom.Th }

// isBlock reports whether an element has lines of its own.
func isBlock(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Dd, atom.Details, atom.Div, atom.Dl, atom.Dt,
		atom.Figcaption, atom.Figure, atom.Footer, atom.Form, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header,
		atom.Hr, atom.Html, atom.Li, atom.Main, atom.Nav, atom.Ol, atom.P, atom.Pre, atom.Section, atom.Summary, atom.Table,
		atom.Title, atom.Tr, atom.Ul:
		return true
	}
	return false
}
