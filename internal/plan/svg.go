package plan

import (
	"encoding/xml"
	"fmt"
	"net/url"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/term"
)

// GraphStyle is the style sheet of the pictures, with the colours of states, for light and dark.
const GraphStyle = `
.graph text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#1f2328}
.graph .title{font-weight:600}.graph .faint{fill:#59636e}
.graph rect{fill:#fff;stroke:#818b98;stroke-width:1.2}.graph .around{fill:#f6f8fa}
.graph path{fill:none;stroke:#818b98;stroke-width:1.2}.graph .head{fill:#818b98;stroke:none}
.graph .succeeded>rect{stroke:#1a7f37;fill:#dafbe1}.graph .failed>rect{stroke:#cf222e;fill:#ffebe9}
.graph .running>rect{stroke:#0969da;fill:#ddf4ff}.graph :is(.waiting,.stopped,.cancelled)>rect{stroke:#9a6700;fill:#fff8c5}
.graph .skipped>rect{stroke-dasharray:4 3}
@media(prefers-color-scheme:dark){
.graph text{fill:#e6edf3}.graph .faint{fill:#9198a1}.graph rect{fill:#151b23;stroke:#656c76}.graph .around{fill:#0d1117}
.graph path{stroke:#656c76}.graph .head{fill:#656c76}
.graph .succeeded>rect{stroke:#3fb950;fill:#12261e}.graph .failed>rect{stroke:#f85149;fill:#2d1416}
.graph .running>rect{stroke:#58a6ff;fill:#121d2f}.graph :is(.waiting,.stopped,.cancelled)>rect{stroke:#d29922;fill:#272115}}
`

// SVG draws the graph as a file of its own.
func (g Graph) SVG() []byte { return g.svg("<style>" + GraphStyle + "</style>\n") }

// Inline draws the graph as a part of a page that has [Style].
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
