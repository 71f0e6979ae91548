package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/columns"
	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/view"
)

// A Progress shows the events of a run while they happen, and counts them.
type Progress struct {
	view.Narrator
	colors term.Painter
	block  *term.Block // guards the narrator
}

// NewProgress returns a progress that writes a line for each event that a person would want, and now and
// then how far the run is. If it is live, it draws that on a terminal, below its lines. The caller ends it.
func NewProgress(to *term.Screen, colors term.Painter, detail view.Detail, live bool) *Progress {
	p := &Progress{colors: colors}
	p.Detail, p.InPlace = detail, live
	every := time.Second
	if live {
		every = term.RedrawEvery
	}
	p.block = term.NewBlock(to, every, func(now time.Time, wide, rows int) (put, block []string) {
		if live {
			return nil, p.running(now, wide, rows)
		}
		return p.painted(p.Due(now)), nil
	})
	return p
}

// Event shows one event. Events come one at a time.
func (p *Progress) Event(e runner.Event) {
	p.block.Put(func() []string { return p.painted(p.Lines(e)) })
}

func (p *Progress) painted(lines []view.Line) (all []string) {
	for _, line := range lines {
		all = append(all, line.Painted(p.colors.Paint))
	}
	return all
}

// Pause runs a function that needs the terminal to itself.
func (p *Progress) Pause(f func()) { p.block.Pause(f) }

// End removes the running units, and returns the counts.
func (p *Progress) End() *view.Narrator {
	p.block.End()
	return &p.Narrator
}

// running shows what runs on two thirds of the terminal's rows. It shows nothing on a terminal with few
// rows, which would scroll a part of it out of reach.
func (p *Progress) running(now time.Time, wide, rows int) (lines []string) {
	const fewest, own = 6, 3 // rows; of the others, the whole run and what holds it up
	if rows < fewest {
		return nil
	}
	units := p.Running()
	for _, line := range runningLines(units, now, max(rows*2/3-own, 1), wide) {
		lines = append(lines, line.paint(p.colors))
	}
	if len(units) > 1 {
		lines = append(lines, p.colors.Paint(term.Faint, columns.Fit(p.whole(now), wide)))
	}
	if held := p.Held(now); held != "" {
		lines = append(lines, p.colors.Paint(term.Doubtful, columns.Fit(held, wide)))
	}
	return lines
}

// whole tells of the whole run: its time, its cost and what that may become, and its counts.
func (p *Progress) whole(now time.Time) string {
	text := "all"
	if !p.Began.IsZero() {
		text += " " + view.Took(now.Sub(p.Began))
	}
	counts := p.Counts
	if all := p.Projected(); all > 0 {
		text += ": " + quantity.Dollars(counts.CostUSD) + " of about " + quantity.Dollars(all)
		counts.CostUSD = 0
	}
	return text + inBrackets(counts)
}

// A runningLine is a line for something that runs.
type runningLine struct {
	bar  [4]int // columns for elements that succeeded, failed, run, and have not begun
	name string
	text string
}

func (l runningLine) paint(colors term.Painter) string {
	if l.bar == [4]int{} {
		return colors.Paint(term.Faint, l.name+l.text)
	}
	line := l.name
	for i, piece := range []struct {
		tone term.Tone
		mark string
	}{{term.Good, "█"}, {term.Bad, "x"}, {term.Doubtful, "▒"}, {term.Faint, "·"}} {
		line += colors.Paint(piece.tone, strings.Repeat(piece.mark, l.bar[i]))
	}
	return line + " " + l.text
}

// runningLines lists running units, up to a maximum. They are cut at the columns of a terminal; 0 is any
// number, without bars.
func runningLines(units []*view.Unit, now time.Time, maxUnits, wide int) (lines []runningLine) {
	maxName := 60
	if wide > 0 {
		maxName = max(wide/3, 20)
	}
	for _, u := range units[:min(len(units), maxUnits)] {
		line := runningLine{name: columns.Fit(u.Name(), maxName) + ": "}
		if u.Elements != nil && !u.Part && wide > 0 {
			line.text, line.bar = bar(u.Elements, now, wide-columns.Of(line.name))
		} else {
			line.name = fmt.Sprintf("%7s  ", view.Took(now.Sub(u.Began))) + line.name
			line.text = u.Doing(now) + inBrackets(u.Counts)
			if rest := wide - columns.Of(line.name); wide > 0 && columns.Of(line.text) > rest {
				line.text = columns.Fit(u.Doing(now), rest)
			}
			if line.text == "" {
				line.name = strings.TrimSuffix(line.name, ": ")
			}
		}
		lines = append(lines, line)
	}
	if more := len(units) - len(lines); more > 0 {
		lines = append(lines, runningLine{text: fmt.Sprintf("         … and %d more", more)})
	}
	return lines
}

// bar returns how far a foreach is in so many columns, as words and as a bar. If there is little room the
// words are fewer.
func bar(n *view.Elements, now time.Time, wide int) (text string, bar [4]int) {
	const least, most = 10, 40
	parts := n.Progress(now)
	for _, drop := range []int{-1, 3, 2, 4} {
		if drop >= 0 {
			parts[drop] = ""
		}
		text = strings.Join(slices.DeleteFunc(slices.Clone(parts), func(s string) bool { return s == "" }), ", ")
		if columns.Of(text)+1+least <= wide {
			break
		}
	}
	size := min(wide-columns.Of(text)-1, most)
	if size < least || n.Of == 0 {
		return columns.Fit(text, wide), bar
	}
	share := func(count int) int { return (count*size + n.Of - 1) / n.Of } // at least one column
	failed := share(n.Failed)
	running := min(share(n.Running), size-failed)
	succeeded := min((n.Ended-n.Failed)*size/n.Of, size-failed-running)
	return text, [4]int{succeeded, failed, running, size - failed - running - succeeded}
}

func inBrackets(counts view.Counts) string {
	if text := counts.String(); text != "" {
		return " (" + text + ")"
	}
	return ""
}
