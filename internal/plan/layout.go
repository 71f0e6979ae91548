package plan

import (
	"cmp"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/columns"
	"github.com/a-seed-11b9befa/flow/internal/term"
)

// A Graph is a list of nodes, and the edges between them, without cycles. It is drawn in rows, with
// what comes later below what it waits for, and steps that contain others as boxes around them. All
// texts may be hostile: they are text in the picture, and nothing else.
type Graph struct {
	Nodes []Node
	Edges []Edge
}

// A Node is a box with lines of text, at least one, of which the first is its title.
type Node struct {
	ID      string // unique in its graph
	Lines   []string
	Address string // of the unit that a click leads to, as the fragment of a link; "": none
	Inside  Graph
}

// An Edge leads from a node to one that waits for it.
type Edge struct{ From, To string }

// The measures of a picture, in pixels. Letters are all of one width.
const (
	letter     = 7.3
	lineHeight = 18.0
	padding    = 10.0
	columnGap  = 24.0
	rowGap     = 34.0
	maxColumns = 44 // of a line
)

// A box is a node with its place, or a point through which a long edge leads.
type box struct {
	Node
	row        int
	x, y, w, h float64
	lines      []string
	inside     *picture
	above      []*box // of which edges come
	at         float64
}

// A picture is a graph with places, relative to its corner.
type picture struct {
	boxes []*box // with those of edges that pass a row
	w, h  float64
}

// place finds a place for each node.
func (g Graph) place() *picture {
	p := &picture{}
	byID := map[string]*box{}
	for _, n := range g.Nodes {
		b := n.box()
		byID[n.ID] = b
		p.boxes = append(p.boxes, b)
	}
	for _, e := range g.Edges {
		if from, to := byID[e.From], byID[e.To]; from != nil && to != nil && from != to {
			to.above = append(to.above, from)
		}
	}
	rows := p.rows()
	for _, row := range rows {
		slices.SortStableFunc(row, func(a, b *box) int { return cmp.Compare(a.middle(), b.middle()) })
		order(row)
	}
	p.arrange(rows)
	return p
}

// box returns the box of a node, with its size.
func (n Node) box() *box {
	b := &box{Node: n}
	for _, line := range n.Lines {
		line = columns.Fit(term.Visible(line), maxColumns)
		b.lines = append(b.lines, line)
		b.w = max(b.w, float64(columns.Of(line))*letter)
	}
	b.h = float64(len(b.lines)) * lineHeight
	if len(n.Inside.Nodes) > 0 {
		b.inside = n.Inside.place()
		b.w, b.h = max(b.w, b.inside.w), b.h+padding+b.inside.h
	}
	b.w, b.h = b.w+2*padding, b.h+2*padding
	return b
}

// rows puts each box below all that it waits for, and points where an edge passes rows.
func (p *picture) rows() (rows [][]*box) {
	deep := map[*box]bool{}
	var sink func(b *box)
	sink = func(b *box) {
		if deep[b] {
			return
		}
		deep[b] = true
		for _, from := range b.above {
			sink(from)
			b.row = max(b.row, from.row+1)
		}
	}
	put := func(b *box) {
		for len(rows) <= b.row {
			rows = append(rows, nil)
		}
		rows[b.row] = append(rows[b.row], b)
	}
	for _, b := range p.boxes {
		sink(b)
	}
	for _, b := range slices.Clone(p.boxes) {
		put(b)
		for i, from := range b.above {
			for row := from.row + 1; row < b.row; row++ {
				point := &box{row: row, above: []*box{from}}
				put(point)
				p.boxes, from = append(p.boxes, point), point
			}
			b.above[i] = from
		}
	}
	return rows
}

// order numbers the boxes of a row from its middle.
func order(row []*box) {
	for i, b := range row {
		b.at = float64(i) - float64(len(row)-1)/2
	}
}

// middle is the place of what a box waits for, on average.
func (b *box) middle() float64 {
	sum := 0.0
	for _, from := range b.above {
		sum += from.at
	}
	return sum / float64(max(len(b.above), 1))
}

// arrange gives each row its height, and centres it.
func (p *picture) arrange(rows [][]*box) {
	widths := make([]float64, len(rows))
	for i, row := range rows {
		for _, b := range row {
			widths[i] += b.w + columnGap
		}
		widths[i] -= columnGap
		p.w = max(p.w, widths[i])
	}
	for i, row := range rows {
		x, high := (p.w-widths[i])/2, 0.0
		for _, b := range row {
			b.x, b.y = x, p.h
			x += b.w + columnGap
			high = max(high, b.h)
		}
		for _, b := range row {
			if b.lines == nil { // an edge passes the whole row
				b.h = high
			}
		}
		p.h += high
		if i < len(rows)-1 {
			p.h += rowGap
		}
	}
}
