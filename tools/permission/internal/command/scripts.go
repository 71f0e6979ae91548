package command

import (
	"regexp"
	"slices"
	"strings"
)

// The tokens of a sed script. Their order is not asked for: a script that sed does not
// understand does nothing.
var (
	sedPlain = regexp.MustCompile(`^([\s;{}!,$~+0-9=dDgGhHnNpPxzF]+|[lqQ][ \t]*[0-9]*|#[^\n]*)`)
	sedLabel = regexp.MustCompile(`^[:btT][ \t]*\w*}*`)
	sedText  = regexp.MustCompile(`(?s)^[aic][ \t]*(\\\n|\\?[ \t]*[^\s\\])([^\\\n]|\\.)*`)
	sedFlags = regexp.MustCompile(`^[gpiImM0-9 \t]*`)
	sedFile  = regexp.MustCompile(`^[rRwW][^\n]*`)
)

// readSed reports whether a sed script runs nothing, and whether it reads or writes files.
// A script that versions of sed may read differently is not plain.
func readSed(s string) (files, plain bool) {
	plain = s != "" // which may be the value of -i
	for s != "" && plain {
		token := sedPlain.FindString(s) + sedText.FindString(s)
		rest := s[len(token):]
		switch s[0] {
		case '/':
			rest, plain = cutDelimited(s[1:], '/', true)
			rest = strings.TrimLeft(rest, "IM")
		case '\\':
			if rest, plain = cutPart(s[1:], true); plain {
				rest = strings.TrimLeft(rest[1:], "IM")
			}
		case 's', 'y':
			if rest, plain = cutPart(s[1:], s[0] == 's'); plain {
				rest, plain = cutPart(rest, false)
			}
			if plain {
				rest = rest[1:]
			}
			if s[0] == 's' {
				rest = rest[len(sedFlags.FindString(rest)):]
				plain = plain && (rest == "" || strings.IndexByte(";}#\nw", rest[0]) >= 0)
			}
		case ':', 'b', 't', 'T': // some read on to the end of the line
			rest = s[len(sedLabel.FindString(s)):]
			line, _, _ := strings.Cut(rest, "\n")
			plain = (rest == "" || strings.IndexByte(" \t\n;", rest[0]) >= 0) && !strings.HasSuffix(line, `\`)
		case 'r', 'R', 'w', 'W':
			files, rest = true, s[len(sedFile.FindString(s)):]
		default:
			plain = token != ""
		}
		s = rest
	}
	return files, plain
}

// cutPart cuts off a part of a sed command that begins with its delimiter, up to the next.
func cutPart(s string, isRegexp bool) (rest string, ok bool) {
	if s == "" || strings.IndexByte("/|#,:;@!%~_=+&-", s[0]) < 0 {
		return s, false
	}
	rest, ok = cutDelimited(s[1:], s[0], isRegexp)
	return s[:1] + rest, ok
}

// brackets are characters in a regular expression that all programs take as such.
var brackets = regexp.MustCompile(`^\[\^?\]?(\[:\w+:\]|\\[^\]\n]|[^\]\[\\\n]|\[[^\]\[\\:.=\n])*\[?\]`)

// cutDelimited cuts off a text and its delimiter. A regular expression in which the delimiter
// stands between brackets is not ok: programs differ in where it ends.
func cutDelimited(s string, delimiter byte, isRegexp bool) (rest string, ok bool) {
	for i := 0; i < len(s) && s[i] != '\n'; i++ {
		switch {
		case s[i] == delimiter:
			return s[i+1:], true
		case s[i] == '\\':
			i++
		case s[i] == '[' && isRegexp:
			bracket := brackets.FindString(s[i:])
			if _, ends := cutDelimited(bracket, delimiter, false); ends || bracket == "" {
				return "", false
			}
			i += len(bracket) - 1
		}
	}
	return "", false
}

var (
	awkToken = regexp.MustCompile(`^([A-Za-z_]\w*|[0-9.]+([eE][-+]?[0-9]+)?|"([^"\\\n]|\\(?s:.))*"|#[^\n]*|\\\n|[ \t]+|\|\||\+\+|--|>>|>=|[^\\"])`)
	// numbered is a number with a name behind it, without a blank.
	numbered      = regexp.MustCompile(`^\.?[0-9].*[A-Za-z_]$`)
	awkWords list = "BEGIN END BEGINFILE ENDFILE function func if else while for do in switch case default return print printf delete exit next nextfile break continue"
)

// An awkReader reads an awk program token by token.
type awkReader struct {
	parens   []bool // whether what is between them is an operand
	operand  bool   // an operand stands before the next token: a / divides
	printing bool   // in a statement with print
	last     string // the last token but for line breaks
	files    bool   // the program writes files
}

// readAwk reports whether an awk program runs nothing and reads nothing but its input, and
// whether it writes files. A / begins a regular expression where no operand stands before it.
func readAwk(s string) (files, plain bool) {
	var r awkReader
	for s != "" {
		token := awkToken.FindString(s)
		if token == "" {
			return r.files, false
		}
		rest := s[len(token):]
		if strings.IndexByte("# \t\\", token[0]) >= 0 {
			s = rest
			continue
		}
		if list("system getline ARGV SYMTAB | @").has(token) || numbered.MatchString(token+rest[:min(1, len(rest))]) {
			return r.files, false
		}
		var ok bool
		if s, ok = r.take(token, rest); !ok {
			return r.files, false
		}
		if token != "\n" {
			r.last = token
		}
	}
	return r.files, true
}

// take takes the next token, and returns what is behind it. It is not ok if programs differ in what that means.
func (r *awkReader) take(token, rest string) (_ string, ok bool) {
	switch {
	case strings.IndexByte(nameCharacters, token[0]) >= 0:
		r.operand = !awkWords.has(token)
		r.printing = r.printing || token == "print" || token == "printf"
	case token == "/" && r.last == "length", token == "\n" && r.operand && len(r.parens) > 0:
		return rest, false
	case token == "/" && !r.operand:
		r.operand = true
		return cutDelimited(rest, '/', true)
	case token == "(":
		r.parens, r.operand = append(r.parens, !list("if while for switch").has(r.last)), false
	case token == ")" && len(r.parens) > 0:
		r.operand, r.parens = r.parens[len(r.parens)-1], r.parens[:len(r.parens)-1]
	default:
		r.takeOther(token)
	}
	return rest, true
}

// takeOther takes a number, a text or an operator.
func (r *awkReader) takeOther(token string) {
	r.files = r.files || r.printing && len(r.parens) == 0 && (token == ">" || token == ">>")
	r.printing = r.printing && token != ";" && token != "}" && (token != "\n" || !r.operand)
	r.operand = token[0] == '"' || token[0] == '.' || token == "]" || token == "++" || token == "--"
}

// awkRisks finds an awk program that runs, reads or writes something.
func awkRisks(words []Word) (out []Risk) {
	p := Named("awk")
	programs := p.operands(words)
	// Behind an option that is not known any operand may be the program.
	if len(programs) > 0 && !slices.ContainsFunc(words[1:programs[0]], func(x Word) bool { return x.isOption() && p.length(x.Text) == unreadable && !x.Is("--") }) {
		programs = programs[:1]
	}
	for _, i := range programs {
		files, plain := readAwk(words[i].Text)
		if plain = plain && words[i].Kind == Static; files || !plain {
			out = append(out, Risk{At: i, Why: "an awk program with system, getline, |, @, or > behind print is guarded", Files: plain})
		}
	}
	return out
}
