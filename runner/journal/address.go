package journal

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// An Address names a unit of work: a step, an element or an attempt. Addresses are comparable
// with ==, and hold one string. The zero Address is the whole run; its text is empty.
//
//	u, err := journal.ParseAddress("pages[3]/review#2~1")
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
type Address struct{ text string }

// A Part is one step of an address.
type Part struct {
	Name    string
	Round   int // 0: not given
	Element int // -1: not given
	Attempt int // 0: not given
}

// The bounds of an address.
const (
	maxAddress = 64 << 10
	maxName    = 64
	maxDigits  = 9
)

// ParseAddress reads an address.
func ParseAddress(text string) (Address, error) {
	if len(text) > maxAddress {
		return Address{}, fmt.Errorf("%.200q is not the name of a unit: it has more than %d characters", text, maxAddress)
	}
	written := make([]byte, 0, len(text))
	for rest, more := text, true; more; rest, more = strings.CutPrefix(rest, "/") {
		var p Part
		if p, rest = parsePart(rest); p.Name == "" || rest != "" && rest[0] != '/' {
			return Address{}, fmt.Errorf("%.200q is not the name of a unit: it is wrong from character %d on", text, len(text)-len(rest)+1)
		}
		written = p.append(written)
	}
	return Address{string(written)}, nil
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

// Parts iterates over the parts of the address, from the outside in. The zero Address has none.
func (a Address) Parts() iter.Seq[Part] {
	return func(yield func(Part) bool) {
		for rest := a.text; rest != ""; {
			var p Part
			p, rest = parsePart(rest)
			if rest = strings.TrimPrefix(rest, "/"); !yield(p) {
				return
			}
		}
	}
}

// last returns the last part of the address; of the zero Address one without a name.
func (a Address) last() Part {
	p, _ := parsePart(a.text[strings.LastIndexByte(a.text, '/')+1:])
	return p
}

// Name returns the name of the step; "" for the zero Address.
func (a Address) Name() string { return a.last().Name }

// Round returns the round of the last step, from 1; 0 if the address has none.
func (a Address) Round() int { return a.last().Round }

// Attempt returns the attempt of the last step, from 1; 0 if the address has none.
func (a Address) Attempt() int { return a.last().Attempt }

// Element returns the index, from 0, of the last step's element, if the address has one.
func (a Address) Element() (index int, ok bool) {
	index = a.last().Element
	return index, index >= 0
}

// Parent returns the unit that the last step is in: `pages[3]` for `pages[3]/review#2~1`. For a
// step at the top, and for the zero Address, that is the zero Address.
func (a Address) Parent() Address {
	return Address{a.text[:max(strings.LastIndexByte(a.text, '/'), 0)]}
}

// Child returns the address of a step inside a. The name has to be that of a step of a workflow.
func (a Address) Child(name string) Address {
	if a.text == "" {
		return Address{name}
	}
	return Address{a.text + "/" + name}
}

// WithRound returns a in a round of the group around it, from 1; 0 leaves the round out. Like
// [Address.WithElement] and [Address.WithAttempt] it returns the zero Address unchanged.
func (a Address) WithRound(round int) Address { return a.withLast(func(p *Part) { p.Round = round }) }

// WithElement returns the element of a's foreach at an index from 0; -1 leaves it out.
func (a Address) WithElement(index int) Address {
	return a.withLast(func(p *Part) { p.Element = index })
}

// WithAttempt returns an attempt of a, from 1; 0 leaves it out.
func (a Address) WithAttempt(attempt int) Address {
	text := a.text // its mark is the last one: readers of many records leave it out without parsing the rest
	if mark := strings.LastIndexByte(text, '~'); mark > strings.LastIndexByte(text, '/') {
		text = text[:mark]
	}
	if attempt <= 0 || text == "" {
		return Address{text}
	}
	return Address{text + "~" + strconv.Itoa(attempt)}
}

func (a Address) withLast(change func(*Part)) Address {
	p := a.last()
	if change(&p); p.Name == "" {
		return a
	}
	text := make([]byte, 0, len(a.text)+maxDigits+2)
	return Address{string(p.append(append(text, a.Parent().text...)))}
}

// Path returns the path of the step, as in results: the names without numbers.
func (a Address) Path() string {
	return a.with(func(p *Part) { *p = Part{Name: p.Name, Element: -1} }).text
}

// WithoutAttempts returns the address without attempts, in all of its parts.
func (a Address) WithoutAttempts() Address { return a.with(func(p *Part) { p.Attempt = 0 }) }

// WithoutRounds returns the address without rounds, in all of its parts.
func (a Address) WithoutRounds() Address { return a.with(func(p *Part) { p.Round = 0 }) }

func (a Address) with(change func(*Part)) Address {
	text := make([]byte, 0, len(a.text))
	for p := range a.Parts() {
		change(&p)
		text = p.append(text)
	}
	return Address{string(text)}
}

// Contains reports whether other is a, or inside it. If a leaves out a round, an element or an
// attempt, it contains all of them: `pages/review` contains `pages[3]/review#2~1`. The zero
// Address contains everything.
func (a Address) Contains(other Address) bool {
	mine, others := a.text, other.text
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

// String returns the address as [ParseAddress] reads it.
func (a Address) String() string { return a.text }

// IsZero reports whether a is the whole run.
func (a Address) IsZero() bool { return a.text == "" }

// MarshalText is String.
func (a Address) MarshalText() ([]byte, error) { return []byte(a.text), nil }

// UnmarshalText is [ParseAddress], except that an empty text is the zero Address.
func (a *Address) UnmarshalText(text []byte) (err error) {
	if *a = (Address{}); len(text) > 0 {
		*a, err = ParseAddress(string(text))
	}
	return err
}

// Equal is ==, for those who compare values by their methods, such as go-cmp.
func (a Address) Equal(other Address) bool { return a == other }
