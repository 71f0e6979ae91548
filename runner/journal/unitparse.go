package journal

import (
	"fmt"
	"strings"
)

// The bounds of an address.
const (
	maxUnit   = 64 << 10
	maxName   = 64
	maxNumber = 999_999_999
)

// A UnitError says what is wrong with the text of an address.
type UnitError struct {
	Text     string // as it was given
	Offset   int    // in bytes, where it stops being an address
	Expected string // what should stand there
}

// Error shows at most 200 bytes of the text.
func (e *UnitError) Error() string {
	found := "the end"
	if e.Offset < len(e.Text) {
		found = fmt.Sprintf("%.20q", e.Text[e.Offset:])
	}
	return fmt.Sprintf("%.200q is not the name of a unit: at character %d: expected %s, found %s", e.Text, e.Offset+1, e.Expected, found)
}

// ParseUnit reads an address. The error is a [UnitError].
func ParseUnit(text string) (Unit, error) {
	if len(text) > maxUnit {
		return Unit{}, &UnitError{text, maxUnit, fmt.Sprintf("at most %d characters", maxUnit)}
	}
	written := make([]byte, 0, len(text))
	for offset := 0; ; {
		p, n, expected := parsePart(text[offset:])
		offset += n
		if expected != "" {
			return Unit{}, &UnitError{text, offset, expected}
		}
		written = p.append(written)
		if offset == len(text) {
			break
		}
		if text[offset] != '/' {
			return Unit{}, &UnitError{text, offset, "one of # [ ~ / or the end"}
		}
		written = append(written, '/')
		offset++
	}
	if string(written) == text {
		return Unit{text}, nil
	}
	return Unit{string(written)}, nil
}

// parsePart reads one part. n is its length, or the offset at which it stops being one;
// expected is what should be there, "" if nothing is wrong.
func parsePart(text string) (p Part, n int, expected string) {
	p.Element = -1
	n = nameLength(text)
	if n == 0 {
		return p, 0, "the name of a step"
	}
	if n > maxName {
		return p, maxName, fmt.Sprintf("a name of at most %d characters", maxName)
	}
	p.Name = text[:n]
	for n < len(text) && strings.IndexByte("#[~", text[n]) >= 0 {
		more, expected := p.parseMark(text[n:])
		n += more
		if expected != "" {
			return p, n, expected
		}
	}
	return p, n, ""
}

// parseMark reads a round, an element or an attempt.
func (p *Part) parseMark(text string) (n int, expected string) {
	what, number, least, given := "round", &p.Round, 1, p.Round > 0
	switch text[0] {
	case '[':
		what, number, least, given = "element", &p.Element, 0, p.Element >= 0
	case '~':
		what, number, given = "attempt", &p.Attempt, p.Attempt > 0
	}
	if given {
		return 0, "no second " + what
	}
	value, digits := parseNumber(text[1:])
	if digits == 0 || value < least {
		return 1, fmt.Sprintf("the number of the %s, from %d", what, least)
	}
	*number, n = value, 1+digits
	if text[0] != '[' {
		return n, ""
	}
	if n == len(text) || text[n] != ']' {
		return n, "]"
	}
	return n + 1, ""
}

// parseNumber reads a decimal number without a sign and leading zeros; digits is 0 if there is
// none, or if it is too large.
func parseNumber(text string) (value, digits int) {
	for digits < len(text) && '0' <= text[digits] && text[digits] <= '9' {
		value = value*10 + int(text[digits]-'0')
		if digits++; value > maxNumber || digits > 1 && text[0] == '0' {
			return 0, 0
		}
	}
	return value, digits
}

// nameLength returns the length of the name of a step at the beginning of a text.
func nameLength(text string) int {
	n := 0
	for n < len(text) && isNameByte(text[n]) {
		n++
	}
	return n
}

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}
