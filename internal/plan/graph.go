package plan

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/a-seed-11b9befa/flow/internal/term"
)

// SVG draws the steps, with what each waits for.
func (p *Plan) SVG() []byte { return graphOf(p.Steps).SVG() }

func graphOf(steps []*Step) (g Graph) {
	for _, step := range steps {
		g.Nodes = append(g.Nodes, Node{ID: step.Step, Lines: step.lines(), Inside: graphOf(step.Steps)})
		for _, n := range step.Needs {
			g.Edges = append(g.Edges, Edge{From: n, To: step.Step})
		}
	}
	return g
}

// lines says in short what a step is: its name, its kind, whom it asks, and what that can cost.
func (s *Step) lines() []string {
	lines := []string{s.Name(), s.Kind}
	if s.Uses != nil {
		lines[1] = "uses " + s.Uses.File
	}
	if s.Foreach {
		lines[1] += ", for each " + s.As
	}
	if s.If != "" {
		lines = append(lines, "if "+s.If)
	}
	if s.Until != "" {
		lines[1] += fmt.Sprintf(", up to %d rounds", s.MaxRounds)
	}
	if len(s.Models) > 0 {
		lines = append(lines, s.Models[0].Model)
	}
	if s.Cost != nil && !s.Cost.IsNothing() {
		lines = append(lines, s.Cost.String())
	}
	return lines
}

// Name is the step's name in its list.
func (s *Step) Name() string { return s.Step[strings.LastIndexByte(s.Step, '/')+1:] }

// Mermaid draws the steps as GitHub does, in a block of Markdown with the language mermaid.
func (p *Plan) Mermaid() string {
	m := &mermaid{}
	m.WriteString("flowchart TD\n")
	m.steps(p.Steps, "  ")
	return m.String()
}

// A mermaid names the steps by numbers, since their own names may be words of its language.
type mermaid struct {
	strings.Builder
	count int
}

func (m *mermaid) steps(steps []*Step, indent string) {
	ids := map[string]int{}
	for _, step := range steps {
		m.count++
		ids[step.Step] = m.count
		var lines []string
		for _, line := range step.lines() {
			lines = append(lines, labelText(line))
		}
		if len(step.Steps) == 0 {
			fmt.Fprintf(m, "%sn%d[\"%s\"]\n", indent, m.count, strings.Join(lines, "<br/>"))
			continue
		}
		fmt.Fprintf(m, "%ssubgraph n%d[\"%s\"]\n", indent, m.count, strings.Join(lines, ", ")) // it has room for one line
		m.steps(step.Steps, indent+"  ")
		fmt.Fprintf(m, "%send\n", indent)
	}
	for _, step := range steps {
		for _, n := range step.Needs {
			fmt.Fprintf(m, "%sn%d --> n%d\n", indent, ids[n], ids[step.Step])
		}
	}
}

// labelText writes whatever could be markup in a label as the number of its character.
func labelText(text string) string {
	var b strings.Builder
	for _, r := range strings.ReplaceAll(term.Visible(text), "$$", "$ $") { // which would be a formula
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" .,:/-", r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}
