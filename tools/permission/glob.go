package permission

// atom is one element of a compiled pattern: a literal character or a
// wildcard.
type atom struct {
	wild wildcard
	char rune
}

type wildcard uint8

const (
	literal  wildcard = iota
	one               // any character
	run               // any characters, also none
	oneName           // any character but a slash
	runName           // any characters but a slash, also none
	oneShown          // any character but a slash and a dot
	segments          // whole path segments with their slash, also none
)

// fits reports whether the wildcard may stand for (or hold) the character.
func (a atom) fits(r rune) bool {
	switch a.wild {
	case literal:
		return a.char == r
	case oneName, runName:
		return r != '/'
	case oneShown:
		return r != '/' && r != '.'
	}
	return true
}

func (a atom) repeats() bool { return a.wild == run || a.wild == runName || a.wild == segments }

// literals turns text into atoms.
func literals(s string) []atom {
	out := make([]atom, 0, len(s))
	for _, r := range s {
		out = append(out, atom{char: r})
	}
	return out
}

// matchAtoms reports whether the pattern covers the whole text. closed, where
// it is not nil, marks the characters that only a literal covers.
func matchAtoms(pattern []atom, text []rune, closed []bool) bool {
	states := make([]bool, len(pattern)+1)
	next := make([]bool, len(pattern)+1)
	states[0] = true
	enter(pattern, states, true)
	for i, r := range text {
		clear(next)
		alive := false
		for j, a := range pattern {
			if !states[j] || !a.fits(r) || a.wild != literal && closed != nil && closed[i] {
				continue
			}
			alive = true
			if a.repeats() {
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
func enter(pattern []atom, states []bool, segmentStart bool) {
	for j, a := range pattern {
		if states[j] && a.repeats() && (a.wild != segments || segmentStart) {
			states[j+1] = true
		}
	}
}

// overlap reports whether some text fits both patterns. Where it cannot be
// told exactly it says yes.
func overlap(a, b []atom) bool {
	for _, x := range unfold(a) {
		for _, y := range unfold(b) {
			if overlapPlain(x, y) {
				return true
			}
		}
	}
	return false
}

// maxUnfold bounds the alternatives that a pattern is unfolded into.
const maxUnfold = 8

// unfold replaces wildcards for segments by what they stand for: nothing, or
// anything with a slash at its end.
func unfold(pattern []atom) [][]atom {
	out := [][]atom{nil}
	for _, a := range pattern {
		if a.wild != segments || len(out) >= maxUnfold {
			for i := range out {
				out[i] = append(out[i], a)
			}
			continue
		}
		for _, head := range out {
			out = append(out, append(head[:len(head):len(head)], atom{wild: run}, atom{char: '/'}))
		}
	}
	return out
}

// overlapPlain is overlap for patterns without wildcards for segments; one that
// is left counts as any run.
func overlapPlain(a, b []atom) bool {
	a, b, apart := withoutEnds(a, b)
	if apart {
		return false
	}
	row := make([]bool, len(b)+1)
	row[0] = true
	for _, x := range a {
		row = beyond(x, b, row)
	}
	for j, y := range b {
		if row[j] && y.repeats() {
			row[j+1] = true
		}
	}
	return row[len(b)]
}

// beyond returns which parts of b can be reached behind an atom, of those that row
// says can be reached before it. Row is changed.
func beyond(x atom, b []atom, row []bool) []bool {
	below := make([]bool, len(b)+1)
	for j := range row {
		if !row[j] {
			continue
		}
		if x.repeats() {
			below[j] = true
		}
		if j == len(b) {
			break
		}
		if b[j].repeats() {
			row[j+1] = true
		}
		if common(x, b[j]) {
			step(x, b[j], row, below, j)
		}
	}
	return below
}

// withoutEnds cuts off the literals that both patterns start and end with. Apart says
// that these differ.
func withoutEnds(a, b []atom) (x, y []atom, apart bool) {
	for len(a) > 0 && len(b) > 0 && a[0].wild == literal && b[0].wild == literal {
		if a[0] != b[0] {
			return a, b, true
		}
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 {
		i, j := len(a)-1, len(b)-1
		if a[i].wild != literal || b[j].wild != literal {
			break
		}
		if a[i] != b[j] {
			return a, b, true
		}
		a, b = a[:i], b[:j]
	}
	return a, b, false
}

// step marks what follows when a and b take one character together.
func step(a, b atom, row, below []bool, j int) {
	switch {
	case a.repeats() && b.repeats():
		// Nothing is gained: both stay where they are.
	case a.repeats():
		row[j+1] = true
	case b.repeats():
		below[j] = true
	default:
		below[j+1] = true
	}
}

// common reports whether some character fits both atoms.
func common(a, b atom) bool {
	switch {
	case a.wild == literal:
		return b.fits(a.char)
	case b.wild == literal:
		return a.fits(b.char)
	}
	return true
}
