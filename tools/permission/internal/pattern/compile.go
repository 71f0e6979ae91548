package pattern

import "strings"

// Glob compiles a pattern in which * is any run of characters and ? one.
func Glob(text string) []Atom {
	out := Literals(text)
	for i, a := range out {
		switch a.Char {
		case '*':
			out[i] = Atom{Wild: Text}
		case '?':
			out[i] = Atom{Wild: Character}
		}
	}
	return out
}

// PathGlob compiles a pattern over paths: * and ? match within a segment, ** any
// characters, and **/ also no segment at all. What [Escape] returned matches itself.
func PathGlob(text string) []Atom {
	var out []Atom
	start := true // at the start of a segment
	for i := 0; i < len(text); {
		rest := text[i:]
		switch {
		case start && strings.HasPrefix(rest, "**/"):
			out = append(out, Atom{Wild: segments})
			i += 3
			continue
		case strings.HasPrefix(rest, "**"):
			out = append(out, Atom{Wild: Text})
			i += 2
		case rest[0] == '*':
			out = append(out, Atom{Wild: NameText})
			i++
		case rest[0] == '?':
			out = append(out, Atom{Wild: NameCharacter})
			i++
		default:
			r := []rune(rest[:min(len(rest), 4)])[0]
			out = append(out, Literals(Unescape(string(r)))...)
			i += len(string(r))
		}
		start = rest[0] == '/'
	}
	return out
}

// DotSegments marks the characters of segments that start with a dot.
func DotSegments(text []rune) []bool {
	var closed []bool
	dotted := false
	for i, r := range text {
		if i == 0 || text[i-1] == '/' {
			dotted = r == '.'
		}
		if dotted && r != '/' {
			if closed == nil {
				closed = make([]bool, len(text))
			}
			closed[i] = true
		}
	}
	return closed
}
