// Package pattern matches texts with patterns: exactly, for rules that allow, and with any
// possible text of a glob, for rules that deny. It does not look at files.
package pattern

import "slices"

// Atom is one element of a compiled pattern: a literal character or a
// wildcard.
type Atom struct {
	Wild Wildcard
	Char rune
}

// Wildcard is what an atom stands for.
type Wildcard uint8

// The wildcards.
const (
	Literal        Wildcard = iota
	Character               // any character
	Text                    // any characters, or none
	NameCharacter           // any character but a slash
	NameText                // any characters but slashes, or none
	ShownCharacter          // any character but a slash and a dot
	segments                // whole path segments with their slashes, or none
)

// fits reports whether the atom may match the character, alone or among others.
func (a Atom) fits(r rune) bool {
	switch a.Wild {
	case Literal:
		return a.Char == r
	case NameCharacter, NameText:
		return r != '/'
	case ShownCharacter:
		return r != '/' && r != '.'
	}
	return true
}

// Is reports whether the atom is that character.
func (a Atom) Is(r rune) bool { return a.Wild == Literal && a.Char == r }

// Repeats reports whether the atom matches any number of characters.
func (a Atom) Repeats() bool { return a.Wild == Text || a.Wild == NameText || a.Wild == segments }

// Literals turns text into atoms.
func Literals(s string) []Atom {
	out := make([]Atom, 0, len(s))
	for _, r := range s {
		out = append(out, Atom{Char: r})
	}
	return out
}

// Match reports whether the pattern matches the whole text. closed, if not nil, marks the
// characters that only literals match.
func Match(pattern []Atom, text []rune, closed []bool) bool {
	states := make([]bool, len(pattern)+1)
	next := make([]bool, len(pattern)+1)
	states[0] = true
	enter(pattern, states, true)
	for i, r := range text {
		clear(next)
		alive := false
		for j, a := range pattern {
			if !states[j] || !a.fits(r) || a.Wild != Literal && closed != nil && closed[i] {
				continue
			}
			alive = true
			if a.Repeats() {
				next[j] = true
			} else {
				next[j+1] = true
			}
		}
		if !alive {
			return false
		}
		enter(pattern, next, r == '/')
		states, next = next, states
	}
	return states[len(pattern)]
}

// enter adds the states that are reached without a character: a repeating
// wildcard may end, one for segments only at a segment's start.
func enter(pattern []Atom, states []bool, segmentStart bool) {
	for j, a := range pattern {
		if states[j] && a.Repeats() && (a.Wild != segments || segmentStart) {
			states[j+1] = true
		}
	}
}

// Overlap reports whether some text may match both patterns. It errs on the side of true.
func Overlap(a, b []Atom) bool {
	for _, x := range Unfold(a) {
		for _, y := range Unfold(b) {
			if OverlapPlain(x, y) {
				return true
			}
		}
	}
	return false
}

// maxUnfold is how many patterns Unfold returns.
const maxUnfold = 8

// Unfold returns the patterns that a pattern stands for when its wildcards for segments
// are replaced: by nothing, or by any text with a slash at its end.
func Unfold(pattern []Atom) [][]Atom {
	out := [][]Atom{nil}
	for _, a := range pattern {
		if a.Wild != segments || len(out) >= maxUnfold {
			for i := range out {
				out[i] = append(out[i], a)
			}
			continue
		}
		for _, head := range out {
			out = append(out, append(head[:len(head):len(head)], Atom{Wild: Text}, Atom{Char: '/'}))
		}
	}
	return out
}

// OverlapPlain is Overlap for patterns without wildcards for segments. One that is left
// matches any text.
func OverlapPlain(a, b []Atom) bool {
	row := make([]bool, len(b)+1)
	row[0] = true
	for _, x := range a {
		row = beyond(x, b, row)
	}
	for j, y := range b {
		if row[j] && y.Repeats() {
			row[j+1] = true
		}
	}
	return row[len(b)]
}

// beyond returns the positions in b that can be reached after the atom x, from those in
// row, which can be reached before it. It changes row.
func beyond(x Atom, b []Atom, row []bool) []bool {
	below := make([]bool, len(b)+1)
	for j := range row {
		if !row[j] {
			continue
		}
		if x.Repeats() {
			below[j] = true
		}
		if j == len(b) {
			break
		}
		if b[j].Repeats() {
			row[j+1] = true
		}
		if common(x, b[j]) {
			step(x, b[j], row, below, j)
		}
	}
	return below
}

// step marks the positions after a and b match one character together.
func step(a, b Atom, row, below []bool, j int) {
	switch {
	case a.Repeats() && b.Repeats():
		// Both stay where they are.
	case a.Repeats():
		row[j+1] = true
	case b.Repeats():
		below[j] = true
	default:
		below[j+1] = true
	}
}

// common reports whether some character may match both atoms.
func common(a, b Atom) bool {
	switch {
	case a.Wild == Literal:
		return b.fits(a.Char)
	case b.Wild == Literal:
		return a.fits(b.Char)
	}
	return true
}

// FoldAll folds the characters of a pattern.
func FoldAll(in []Atom) []Atom {
	out := slices.Clone(in)
	for i, a := range out {
		if a.Wild == Literal {
			out[i].Char = []rune(Fold(string(a.Char)))[0]
		}
	}
	return out
}
