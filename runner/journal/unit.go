package journal

import (
	"fmt"
	"iter"
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
// A part is a step in the group, or in the used workflow, that the part before it names; or a tool of the
// agent before it, whose calls run a workflow and are its elements: review/rate[1]/judge.
// Elements count from 0, rounds and attempts from 1. A round is that of the nearest group with
// `until` around the step, and is written at the step directly inside that group. An attempt is
// that of the step, or of the element. Without a round or an attempt the last one is meant;
// only the run knows which one that is.
//
// The marks after a name are read in any order, and written in that of the grammar.
type Unit struct{ text string }

// A Part is one step of an address.
type Part struct {
	Name    string
	Round   int // 0: not given
	Element int // -1: not given
	Attempt int // 0: not given
}

// The bounds of an address.
const (
	maxUnit   = 64 << 10
	maxName   = 64
	maxDigits = 9
)

// ParseUnit reads an address.
func ParseUnit(text string) (Unit, error) {
	if len(text) > maxUnit {
		return Unit{}, fmt.Errorf("%.200q is not the name of a unit: it has more than %d characters", text, maxUnit)
	}
	written := make([]byte, 0, len(text))
	for rest, more := text, true; more; rest, more = strings.CutPrefix(rest, "/") {
		var p Part
		if p, rest = parsePart(rest); p.Name == "" || rest != "" && rest[0] != '/' {
			return Unit{}, fmt.Errorf("%.200q is not the name of a unit: it is wrong from character %d on", text, len(text)-len(rest)+1)
		}
		written = p.append(written)
	}
	return Unit{string(written)}, nil
}

// parsePart reads the part at the beginning of a text, and returns the rest, from the first character
// on that can't be in it. Without a name there is no part.
func parsePart(text string) (p Part, rest string) {
	n := 0
	for n < min(len(text), maxName) && isNameByte(text[n]) {
		n++
	}
	p, rest = Part{Name: text[:n], Element: -1}, text[n:]
	for n > 0 && rest != "" {
		number, digits := parseNumber(rest[1:])
		after := rest[1+digits:]
		switch mark := rest[0]; {
		case mark == '#' && number > 0 && p.Round == 0:
			p.Round = number
		case mark == '~' && number > 0 && p.Attempt == 0:
			p.Attempt = number
		case mark == '[' && digits > 0 && p.Element < 0 && strings.HasPrefix(after, "]"):
			p.Element, after = number, after[1:]
		default:
			return p, rest
		}
		rest = after
	}
	return p, rest
}

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

// parseNumber reads a decimal number at the beginning of a text, of which a zero is all.
func parseNumber(text string) (number, digits int) {
	for digits < min(len(text), maxDigits) && '0' <= text[digits] && text[digits] <= '9' && (digits == 0 || number > 0) {
		number = number*10 + int(text[digits]-'0')
		digits++
	}
	return number, digits
}

// append appends the part to those before it.
func (p Part) append(text []byte) []byte {
	if len(text) > 0 {
		text = append(text, '/')
	}
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

// Parts iterates over the parts of the address, from the outside in. The zero Unit has none.
func (u Unit) Parts() iter.Seq[Part] {
	return func(yield func(Part) bool) {
		for rest := u.text; rest != ""; {
			var p Part
			p, rest = parsePart(rest)
			if rest = strings.TrimPrefix(rest, "/"); !yield(p) {
				return
			}
		}
	}
}

// last returns the last part of the address; of the zero Unit one without a name.
func (u Unit) last() Part {
	p, _ := parsePart(u.text[strings.LastIndexByte(u.text, '/')+1:])
	return p
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

// Parent returns the unit that the last step is in: `pages[3]` for `pages[3]/review#2~1`. For a
// step at the top, and for the zero Unit, that is the zero Unit.
func (u Unit) Parent() Unit { return Unit{u.text[:max(strings.LastIndexByte(u.text, '/'), 0)]} }

// Child returns the address of a step inside u. The name has to be that of a step of a workflow.
func (u Unit) Child(name string) Unit {
	if u.text == "" {
		return Unit{name}
	}
	return Unit{u.text + "/" + name}
}

// WithRound returns u in a round of the group around it, from 1; 0 leaves the round out. Like
// [Unit.WithElement] and [Unit.WithAttempt] it returns the zero Unit unchanged.
func (u Unit) WithRound(round int) Unit { return u.withLast(func(p *Part) { p.Round = round }) }

// WithElement returns the element of u's foreach at an index from 0; -1 leaves it out.
func (u Unit) WithElement(index int) Unit { return u.withLast(func(p *Part) { p.Element = index }) }

// WithAttempt returns an attempt of u, from 1; 0 leaves it out.
func (u Unit) WithAttempt(attempt int) Unit {
	text := u.text // its mark is the last one: readers of many records leave it out without parsing the rest
	if mark := strings.LastIndexByte(text, '~'); mark > strings.LastIndexByte(text, '/') {
		text = text[:mark]
	}
	if attempt <= 0 || text == "" {
		return Unit{text}
	}
	return Unit{text + "~" + strconv.Itoa(attempt)}
}

func (u Unit) withLast(change func(*Part)) Unit {
	p := u.last()
	if change(&p); p.Name == "" {
		return u
	}
	text := make([]byte, 0, len(u.text)+maxDigits+2)
	return Unit{string(p.append(append(text, u.Parent().text...)))}
}

// Path returns the path of the step, as in results: the names without numbers.
func (u Unit) Path() string {
	return u.with(func(p *Part) { *p = Part{Name: p.Name, Element: -1} }).text
}

// WithoutAttempts returns the address without attempts, in all of its parts.
func (u Unit) WithoutAttempts() Unit { return u.with(func(p *Part) { p.Attempt = 0 }) }

// WithoutRounds returns the address without rounds, in all of its parts.
func (u Unit) WithoutRounds() Unit { return u.with(func(p *Part) { p.Round = 0 }) }

func (u Unit) with(change func(*Part)) Unit {
	text := make([]byte, 0, len(u.text))
	for p := range u.Parts() {
		change(&p)
		text = p.append(text)
	}
	return Unit{string(text)}
}

// Contains reports whether other is u, or inside it. If u leaves out a round, an element or an
// attempt, it contains all of them: `pages/review` contains `pages[3]/review#2~1`. The zero
// Unit contains everything.
func (u Unit) Contains(other Unit) bool {
	mine, others := u.text, other.text
	for mine != "" {
		var p, q Part
		p, mine = parsePart(strings.TrimPrefix(mine, "/"))
		q, others = parsePart(strings.TrimPrefix(others, "/"))
		if !p.matches(q) {
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

// String returns the address as [ParseUnit] reads it.
func (u Unit) String() string { return u.text }

// IsZero reports whether u is the whole run.
func (u Unit) IsZero() bool { return u.text == "" }

// MarshalText is String.
func (u Unit) MarshalText() ([]byte, error) { return []byte(u.text), nil }

// UnmarshalText is [ParseUnit], except that an empty text is the zero Unit.
func (u *Unit) UnmarshalText(text []byte) (err error) {
	if *u = (Unit{}); len(text) > 0 {
		*u, err = ParseUnit(string(text))
	}
	return err
}

// Equal is ==, for those who compare values by their methods, such as go-cmp.
func (u Unit) Equal(other Unit) bool { return u == other }
