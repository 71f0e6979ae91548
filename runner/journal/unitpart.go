package journal

import (
	"iter"
	"strconv"
	"strings"
)

// A Part is one step of an address.
type Part struct {
	Name    string
	Round   int // 0: not given
	Element int // -1: not given
	Attempt int // 0: not given
}

// Parts iterates over the parts of the address, from the outside in. The zero Unit has none.
func (u Unit) Parts() iter.Seq[Part] {
	return func(yield func(Part) bool) {
		for rest := u.text; rest != ""; {
			var text string
			text, rest, _ = strings.Cut(rest, "/")
			if !yield(readUnitPart(text)) {
				return
			}
		}
	}
}

// append writes the part.
func (p Part) append(text []byte) []byte {
	text = append(text, p.Name...)
	if p.Round > 0 {
		text = strconv.AppendInt(append(text, '#'), int64(p.Round), 10)
	}
	if p.Element >= 0 {
		text = append(strconv.AppendInt(append(text, '['), int64(p.Element), 10), ']')
	}
	if p.Attempt > 0 {
		text = strconv.AppendInt(append(text, '~'), int64(p.Attempt), 10)
	}
	return text
}

// readUnitPart reads a part of an address that was checked before.
func readUnitPart(text string) Part {
	p, _, _ := parsePart(text)
	return p
}

// lastPart returns the offset of the last part of the address.
func (u Unit) lastPart() int { return strings.LastIndexByte(u.text, '/') + 1 }

func (u Unit) last() Part {
	if u.text == "" {
		return Part{Element: -1}
	}
	return readUnitPart(u.text[u.lastPart():])
}

// Name returns the name of the step; "" for the zero Unit.
func (u Unit) Name() string { return u.last().Name }

// Round returns the round of the last step, from 1; 0 if the address has none.
func (u Unit) Round() int { return u.last().Round }

// Attempt returns the attempt of the last step, from 1; 0 if the address has none.
func (u Unit) Attempt() int { return u.last().Attempt }

// Element returns the index, from 0, of the last step's element, if the address has one.
func (u Unit) Element() (index int, ok bool) {
	index = u.last().Element
	return index, index >= 0
}

// Path returns the path of the step, as in results: the names without numbers.
func (u Unit) Path() string { return u.Without(RoundMarks | ElementMarks | AttemptMarks).text }

// Marks is a set of kinds of numbers in an address.
type Marks uint8

// The marks.
const (
	RoundMarks Marks = 1 << iota
	ElementMarks
	AttemptMarks
)

// Without returns the address without these marks, in all of its parts.
func (u Unit) Without(marks Marks) Unit {
	if !strings.ContainsAny(u.text, "#[~") {
		return u
	}
	text := make([]byte, 0, len(u.text))
	for p := range u.Parts() {
		if marks&RoundMarks != 0 {
			p.Round = 0
		}
		if marks&ElementMarks != 0 {
			p.Element = -1
		}
		if marks&AttemptMarks != 0 {
			p.Attempt = 0
		}
		if len(text) > 0 {
			text = append(text, '/')
		}
		text = p.append(text)
	}
	return Unit{string(text)}
}

// Parent returns the unit that the last step is in: `pages[3]` for `pages[3]/review#2~1`. For a
// step at the top, and for the zero Unit, that is the zero Unit.
func (u Unit) Parent() Unit { return Unit{u.text[:max(u.lastPart()-1, 0)]} }

// Contains reports whether other is u, or inside it. If u leaves out a round, an element or an
// attempt, it contains all of them: `pages/review` contains `pages[3]/review#2~1`. The zero
// Unit contains everything.
func (u Unit) Contains(other Unit) bool {
	mine, others := u.text, other.text
	for mine != "" {
		if others == "" {
			return false
		}
		var text, otherText string
		text, mine, _ = strings.Cut(mine, "/")
		otherText, others, _ = strings.Cut(others, "/")
		if text != otherText && !readUnitPart(text).matches(readUnitPart(otherText)) {
			return false
		}
	}
	return true
}

// matches reports whether everything that p gives is the same in q.
func (p Part) matches(q Part) bool {
	return p.Name == q.Name && (p.Round == 0 || p.Round == q.Round) &&
		(p.Element < 0 || p.Element == q.Element) && (p.Attempt == 0 || p.Attempt == q.Attempt)
}
