package plan

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// random is a graph whose edges lead from earlier nodes to later ones.
func random(r *rand.Rand, depth int) (g Graph) {
	for i := range 1 + r.IntN(7) {
		n := Node{ID: fmt.Sprint(i), Lines: []string{strings.Repeat("x", r.IntN(60)), "run"}[:1+r.IntN(2)]}
		if depth > 0 && r.IntN(3) == 0 {
			n.Inside = random(r, depth-1)
		}
		for j := range i {
			if r.IntN(3) == 0 {
				g.Edges = append(g.Edges, Edge{fmt.Sprint(j), n.ID})
			}
		}
		g.Nodes = append(g.Nodes, n)
	}
	return g
}

// TestPlaces: boxes, and edges that pass a row, overlap nowhere; what waits is below what it waits for, and
// what is inside a box is within it.
func TestPlaces(t *testing.T) {
	for seed := range uint64(300) {
		checkPicture(t, random(rand.New(rand.NewPCG(seed, 0)), 2).place())
	}
}

func checkPicture(t *testing.T, p *picture) {
	t.Helper()
	for i, b := range p.boxes {
		if b.x < 0 || b.y < 0 || b.x+b.w > p.w+0.1 || b.y+b.h > p.h+0.1 {
			t.Errorf("%q is at %v %v, %v wide, %v high, in %v by %v", b.Lines, b.x, b.y, b.w, b.h, p.w, p.h)
		}
		for _, other := range p.boxes[:i] {
			if b.x < other.x+other.w && other.x < b.x+b.w && b.y < other.y+other.h && other.y < b.y+b.h {
				t.Errorf("%q and %q overlap", b.Lines, other.Lines)
			}
		}
		for _, from := range b.above {
			if from.row != b.row-1 || from.y+from.h >= b.y {
				t.Errorf("%q is not right below %q", b.Lines, from.Lines)
			}
		}
		if b.inside != nil {
			if b.inside.w+2*padding > b.w+0.1 || b.inside.h+2*padding > b.h {
				t.Errorf("%q is too small for what is inside", b.Lines)
			}
			checkPicture(t, b.inside)
		}
	}
}

// TestHostile: no text of a node is more than text in the picture, and no address leaves it.
func TestHostile(t *testing.T) {
	const evil = "\"><script>alert(1)</script>\x00\x1b[2J\u202e]]>--> &lt; javascript:x ' \xff"
	g := Graph{Nodes: []Node{
		{ID: evil, Lines: []string{evil, evil}, Address: "javascript:" + evil},
		{ID: "b", Lines: []string{"b"}, Address: "pages[3]/review#2", Inside: Graph{Nodes: []Node{{ID: evil, Lines: []string{evil}}}}},
	}, Edges: []Edge{{evil, "b"}, {"b", "nowhere"}, {"b", evil}, {"b", "b"}}}
	allowed := map[string]bool{"svg": true, "style": true, "g": true, "title": true, "rect": true, "text": true, "path": true, "a": true}
	svg := g.SVG()
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
		start, is := token.(xml.StartElement)
		if !is {
			continue
		}
		if !allowed[start.Name.Local] {
			t.Errorf("there is a %q", start.Name.Local)
		}
		for _, a := range start.Attr {
			if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "href" && !strings.HasPrefix(a.Value, "#") {
				t.Errorf("there is %s=%q", a.Name.Local, a.Value)
			}
		}
	}
	if !bytes.Contains(svg, []byte(`<a href="#pages%5B3%5D%2Freview%232"><g>`)) {
		t.Errorf("a node does not lead to its unit:\n%s", svg)
	}
}

// TestLarge: a graph of many nodes, of which each waits for many, is placed at once.
func TestLarge(t *testing.T) {
	var g Graph
	for i := range 300 {
		g.Nodes = append(g.Nodes, Node{ID: fmt.Sprint(i), Lines: []string{"x"}})
		for j := max(0, i-12); j < i; j++ {
			g.Edges = append(g.Edges, Edge{fmt.Sprint(j), fmt.Sprint(i)})
		}
	}
	if p := g.place(); p.boxes[299].row != 299 {
		t.Errorf("the last of 300 is in row %d", p.boxes[299].row)
	}
}
