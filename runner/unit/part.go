package unit

import (
	"strconv"
	"strings"
)

// A part is one step of an address.
type part struct {
	name    string
	round   int // 0: not given
	element int // -1: not given
	attempt int // 0: not given
}

// append writes the part.
func (p part) append(text []byte) []byte {
	text = append(text, p.name...)
	if p.round > 0 {
		text = strconv.AppendInt(append(text, '#'), int64(p.round), 10)
	}
	if p.element >= 0 {
		text = append(strconv.AppendInt(append(text, '['), int64(p.element), 10), ']')
	}
	if p.attempt > 0 {
		text = strconv.AppendInt(append(text, '~'), int64(p.attempt), 10)
	}
	return text
}

// readPart reads a part of an address that was checked before.
func readPart(text string) part {
	p, _, _ := parsePart(text)
	return p
}

// lastPart is where the last part of the address begins.
func (u Unit) lastPart() int { return strings.LastIndexByte(u.text, '/') + 1 }

func (u Unit) last() part {
	if u.text == "" {
		return part{element: -1}
	}
	return readPart(u.text[u.lastPart():])
}

// Name is the name of the step; "" of the zero Unit.
func (u Unit) Name() string { return u.last().name }

// Round is the round that is given for the last step, from 1; 0 where none is.
func (u Unit) Round() int { return u.last().round }

// Attempt is the attempt that is given for the last step, from 1; 0 where none
// is.
func (u Unit) Attempt() int { return u.last().attempt }

// Element is the index of the element of the last step, from 0, if u is in one.
func (u Unit) Element() (index int, ok bool) {
	index = u.last().element
	return index, index >= 0
}

// Path is the path of the step, as results have it: the names without numbers.
func (u Unit) Path() string {
	if !strings.ContainsAny(u.text, "#[~") {
		return u.text
	}
	path := make([]byte, 0, len(u.text))
	for rest := u.text; rest != ""; {
		if len(path) > 0 {
			path = append(path, '/')
		}
		var text string
		text, rest, _ = strings.Cut(rest, "/")
		path = append(path, readPart(text).name...)
	}
	return string(path)
}

// Parent is the unit that the last step is in: `pages[3]` of `pages[3]/review#2~1`.
// That of a step at the top, and of the zero Unit, is the zero Unit.
func (u Unit) Parent() Unit { return Unit{u.text[:max(u.lastPart()-1, 0)]} }

// Contains reports whether other is u or a part of it. Of a round, element or
// attempt that u leaves out it contains all: `pages/review` contains
// `pages[3]/review#2~1`. The zero Unit contains everything.
func (u Unit) Contains(other Unit) bool {
	mine, others := u.text, other.text
	for mine != "" {
		if others == "" {
			return false
		}
		var text, otherText string
		text, mine, _ = strings.Cut(mine, "/")
		otherText, others, _ = strings.Cut(others, "/")
		if text != otherText && !readPart(text).matches(readPart(otherText)) {
			return false
		}
	}
	return true
}

// matches reports whether all that p gives is the same in q.
func (p part) matches(q part) bool {
	return p.name == q.name && (p.round == 0 || p.round == q.round) &&
		(p.element < 0 || p.element == q.element) && (p.attempt == 0 || p.attempt == q.attempt)
}
