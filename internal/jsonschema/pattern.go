package jsonschema

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode/utf16"
)

// A pattern is a regular expression of a schema.
type pattern struct {
	text     string
	compiled *regexp.Regexp // nil: it can't be checked
	size     int            // about how much of it there is to try at each character
}

// mostInstructions is how large all patterns of a schema may be together, with
// their repetitions written out.
const mostInstructions = 200_000

// pattern reads a regular expression. One that Go can't run in linear time is
// noted and fits everything.
func (r *reader) pattern(at, text string) *pattern {
	p := &pattern{text: text, size: len(text)}
	translated := fromECMA(text)
	if p.size > 1000 || strings.ContainsAny(text, "{") {
		tree, err := syntax.Parse(translated, syntax.Perl)
		if err == nil {
			p.size = instructions(tree)
		}
	}
	if r.patterns += p.size; r.patterns > mostInstructions {
		r.problem(at, "the patterns of the schema are too large")
		return p
	}
	compiled, err := regexp.Compile(translated)
	if err != nil {
		r.unchecked.add(Problem{Path: at, Message: fmt.Sprintf("the pattern %q can't be checked: %s", clip(text), whyNot(err))})
		return p
	}
	p.compiled = compiled
	return p
}

// instructions estimates the size of a compiled expression.
func instructions(tree *syntax.Regexp) int {
	n := 1 + len(tree.Rune)/2
	for _, sub := range tree.Sub {
		n += instructions(sub)
	}
	if tree.Op == syntax.OpRepeat {
		n *= max(tree.Min, tree.Max, 1)
	}
	return min(n, 10*mostInstructions)
}

// whyNot words why an expression can't be used.
func whyNot(err error) string {
	var misread *syntax.Error
	if !errors.As(err, &misread) {
		return err.Error()
	}
	switch {
	case strings.HasPrefix(misread.Expr, "(?=") || strings.HasPrefix(misread.Expr, "(?!") ||
		strings.HasPrefix(misread.Expr, "(?<=") || strings.HasPrefix(misread.Expr, "(?<!"):
		return "it looks around, which takes more than linear time"
	case misread.Code == syntax.ErrInvalidEscape && len(misread.Expr) > 1 && misread.Expr[1] >= '1' && misread.Expr[1] <= '9':
		return "it refers back to a group, which takes more than linear time"
	}
	return fmt.Sprintf("%s: %q", misread.Code, clip(misread.Expr))
}

// The white space of ECMA-262, and what is none, as ranges of a class.
const (
	ecmaSpace    = `\t-\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}`
	ecmaNonSpace = `\x00-\x{08}\x{0E}-\x{1F}!-\x{9F}\x{A1}-\x{167F}\x{1681}-\x{1FFF}\x{200B}-\x{2027}\x{202A}-\x{202E}\x{2030}-\x{205E}\x{2060}-\x{2FFF}\x{3001}-\x{FEFE}\x{FF00}-\x{10FFFF}`
)

// fromECMA rewrites a regular expression of ECMA-262, as JSON Schema has them, in
// the syntax of Go. What both read alike stays, and so does what only Go reads.
func fromECMA(text string) string {
	if !strings.ContainsAny(text, `\.[`) {
		return text
	}
	t := &translation{rest: text}
	for t.rest != "" {
		t.next()
	}
	return t.out.String()
}

type translation struct {
	rest    string
	out     strings.Builder
	inClass bool
}

// take moves n bytes of the expression behind what is read, and writes instead.
func (t *translation) take(n int, instead string) {
	t.rest = t.rest[n:]
	t.out.WriteString(instead)
}

// next translates one character, escape or beginning of a class.
func (t *translation) next() {
	switch c := t.rest[0]; {
	case c == '\\' && len(t.rest) > 1:
		t.escape()
	case t.inClass && c == ']':
		t.inClass = false
		t.take(1, "]")
	case t.inClass && c == '[':
		t.take(1, `\[`)
	case t.inClass:
		t.take(1, t.rest[:1])
	case strings.HasPrefix(t.rest, "[]"):
		t.take(2, `[^\x00-\x{10FFFF}]`)
	case strings.HasPrefix(t.rest, "[^]"):
		t.take(3, `[\x00-\x{10FFFF}]`)
	case strings.HasPrefix(t.rest, "[^"):
		t.inClass = true
		t.take(2, "[^")
	case c == '[':
		t.inClass = true
		t.take(1, "[")
	case c == '.':
		t.take(1, `[^\n\r\x{2028}\x{2029}]`)
	default:
		t.take(1, t.rest[:1])
	}
}

// escape translates what begins with a backslash.
func (t *translation) escape() {
	switch c := t.rest[1]; {
	case c == 's':
		t.take(2, t.class(ecmaSpace))
	case c == 'S':
		t.take(2, t.class(ecmaNonSpace))
	case c == 'c' && len(t.rest) > 2 && isLetter(t.rest[2]):
		t.take(3, fmt.Sprintf(`\x%02X`, t.rest[2]&0x1f))
	case c == '0':
		t.take(2, `\x00`)
	case c == 'b' && t.inClass:
		t.take(2, `\x08`)
	case c == 'u':
		t.unicode()
	case c == 'p' || c == 'P':
		t.property()
	case c >= 0x80: // the character itself
		t.take(1, "")
	default:
		t.take(2, t.rest[:2])
	}
}

// class writes ranges inside of a class, or as one.
func (t *translation) class(ranges string) string {
	if t.inClass {
		return ranges
	}
	return "[" + ranges + "]"
}

// unicode translates \uXXXX, two of them that are one character, and \u{X}.
func (t *translation) unicode() {
	if strings.HasPrefix(t.rest, `\u{`) {
		t.take(2, `\x`)
		return
	}
	high, ok := hex4(t.rest)
	if !ok {
		t.take(2, `\u`) // which Go refuses, too
		return
	}
	if low, pair := hex4(t.rest[6:]); pair && utf16.IsSurrogate(high) {
		if r := utf16.DecodeRune(high, low); r != '\uFFFD' {
			t.take(12, fmt.Sprintf(`\x{%X}`, r))
			return
		}
	}
	t.take(6, fmt.Sprintf(`\x{%X}`, high))
}

// property translates \p{Script=Greek}: Go names the script alone.
func (t *translation) property() {
	t.take(2, t.rest[:2])
	for _, kind := range []string{"{Script=", "{sc=", "{General_Category=", "{gc="} {
		if strings.HasPrefix(t.rest, kind) {
			t.take(len(kind), "{")
		}
	}
}

// hex4 reads \uXXXX.
func hex4(s string) (rune, bool) {
	if len(s) < 6 || s[:2] != `\u` {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 32)
	return rune(n), err == nil
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
