package journal

import (
	"strconv"
	"strings"
)

// A Unit is the address of a unit of work: a step, an element or an attempt. Units are comparable
// with ==, and hold one string. The zero Unit is the whole run; its text is empty.
//
//	u, err := journal.ParseUnit("pages[3]/review#2~1")
//	u.Path()    // "pages/review"
//	u.Round()   // 2
//	u.Parent()  // pages[3]
//
// The grammar:
//
//	unit    = part *( "/" part )
//	part    = name [ "#" round ] [ "[" element "]" ] [ "~" attempt ]
//	call    = unit ":" call_id
//
// A part is a step in the group, or in the used workflow, that the part before it names.
// Elements count from 0, rounds and attempts from 1. A round is that of the nearest group with
// `until` around the step, and is written at the step directly inside that group. An attempt is
// that of the step, or of the element. Without a round or an attempt the last one is meant;
// only the run knows which one that is.
//
// The marks after a name are read in any order, and written in that of the grammar.
type Unit struct{ text string }

// Child returns the address of a step inside u. It panics if no step can have that name: names
// come from a workflow, where they were checked.
func (u Unit) Child(name string) Unit {
	if nameLength(name) != len(name) || name == "" || len(name) > maxName {
		panic("unit: no step can be called " + strconv.Quote(name))
	}
	if u.text == "" {
		return Unit{name}
	}
	return Unit{u.text + "/" + name}
}

// WithRound returns u in a round of the group around it, from 1; 0 leaves the round out. Like
// [Unit.WithElement] and [Unit.WithAttempt] it returns the zero Unit unchanged.
func (u Unit) WithRound(round int) Unit {
	return u.with(func(p *Part) { p.Round = round })
}

// WithElement returns the element of u's foreach at an index from 0; -1 leaves it
// out.
func (u Unit) WithElement(index int) Unit {
	return u.with(func(p *Part) { p.Element = index })
}

// WithAttempt returns an attempt of u, from 1; 0 leaves it out.
func (u Unit) WithAttempt(attempt int) Unit {
	if begin := u.lastPart(); attempt == 0 { // the attempt is at the end
		last, _, _ := strings.Cut(u.text[begin:], "~")
		return Unit{u.text[:begin+len(last)]}
	}
	return u.with(func(p *Part) { p.Attempt = attempt })
}

// with changes the last part. It panics if a number is out of bounds: numbers come from flow
// itself.
func (u Unit) with(change func(*Part)) Unit {
	if u.text == "" {
		return u
	}
	begin := u.lastPart()
	p := readUnitPart(u.text[begin:])
	before := p
	if change(&p); p == before {
		return u
	}
	if p.Round < 0 || p.Element < -1 || p.Attempt < 0 || max(p.Round, p.Element, p.Attempt) > maxNumber {
		panic("unit: a number is out of bounds in " + u.text)
	}
	return Unit{string(p.append(append(make([]byte, 0, len(u.text)+12), u.text[:begin]...)))}
}

// String returns the address as [ParseUnit] reads it.
func (u Unit) String() string { return u.text }

// IsZero reports whether u is the whole run.
func (u Unit) IsZero() bool { return u.text == "" }

// MarshalText is String.
func (u Unit) MarshalText() ([]byte, error) { return []byte(u.text), nil }

// UnmarshalText is [ParseUnit], except that an empty text is the zero Unit.
func (u *Unit) UnmarshalText(text []byte) (err error) {
	if len(text) == 0 {
		*u = Unit{}
		return nil
	}
	*u, err = ParseUnit(string(text))
	return err
}

// Equal is ==, for those who compare values by their methods, such as go-cmp.
func (u Unit) Equal(other Unit) bool { return u == other }

// A Call is the address of a call of a tool: the unit that makes it, and the id
// that the call has in its conversation.
type Call struct {
	Unit Unit
	ID   string
}

// String returns the address: `pages[3]:call_2`. The id may hold anything.
func (c Call) String() string { return c.Unit.text + ":" + c.ID }
