package plan

import (
	_ "embed"
	"encoding/xml"
	"fmt"
	"net/url"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/term"
)

// GraphStyle is the style sheet of the pictures, with the colours of states, for light and dark.
//
//go:embed graph.css
var GraphStyle string

// SVG draws the graph as a file of its own.
func (g Graph) SVG() []byte { return g.svg("<style>" + GraphStyle + "</style>\n") }

// Inline draws the graph as a part of a page that has [GraphStyle].
func (g Graph) Inline() []byte { return g.svg("") }

func (g Graph) svg(style string) []byte {
	p := g.place()
	d := &drawing{}
	wide, high := p.w+2*padding, p.h+2*padding
	d.write(`<svg xmlns="http://www.w3.org/2000/svg" class="graph" width="%.0f" height="%.0f" viewBox="0 0 %.1f %.1f" role="img">`+"\n%s", wide, high, wide, high, style)
	d.draw(p, padding, padding)
	d.write("</svg>\n")
	return []byte(d.String())
}

// A drawing is the text of a picture.
type drawing struct{ strings.Builder }

func (d *drawing) write(format string, args ...any) { fmt.Fprintf(d, format, args...) }

// draw draws a picture whose corner is at a place.
func (d *drawing) draw(p *picture, x, y float64) {
	for _, b := range p.boxes {
		for _, from := range b.above {
			d.edge(x+from.x+from.w/2, y+from.y+from.h, x+b.x+b.w/2, y+b.y, b.lines != nil)
		}
		if b.lines == nil { // the edge goes on through its row
			d.write(`<path d="M%.1f %.1fV%.1f"/>`+"\n", x+b.x, y+b.y, y+b.y+b.h)
			continue
		}
		d.box(b, x+b.x, y+b.y)
	}
}

func (d *drawing) edge(fromX, fromY, toX, toY float64, ends bool) {
	half := (fromY + toY) / 2
	d.write(`<path d="M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f"/>`+"\n", fromX, fromY, fromX, half, toX, half, toX, toY)
	if ends {
		d.write(`<path class="head" d="M%.1f %.1fl-4 -7h8z"/>`+"\n", toX, toY)
	}
}

func (d *drawing) box(b *box, x, y float64) {
	if b.Address != "" {
		d.write(`<a href="#%s">`, escaped(url.PathEscape(b.Address)))
	}
	d.write(`<g><title>%s</title>`, escaped(strings.Join(b.Lines, ", ")))
	around := ""
	if b.inside != nil {
		around = ` class="around"`
	}
	d.write(`<rect%s x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="6"/>`, around, x, y, b.w, b.h)
	class := "title"
	for i, line := range b.lines {
		d.write(`<text class="%s" x="%.1f" y="%.1f" xml:space="preserve">%s</text>`, class, x+padding, y+padding+float64(i)*lineHeight+13, escaped(line))
		class = "faint"
	}
	d.write("</g>")
	if b.Address != "" {
		d.write("</a>")
	}
	d.write("\n")
	if b.inside != nil {
		d.draw(b.inside, x+(b.w-b.inside.w)/2, y+b.h-padding-b.inside.h)
	}
}

// escaped returns a text for XML, in which nothing is unseen.
func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(term.Visible(text))) // a Builder takes all
	return b.String()
}
