package command

import (
	"regexp"
	"strings"
	"sync"
)

// delimited returns the expression for a text up to a delimiter. A regular expression in which the
// delimiter stands between brackets does not match: programs differ in where it ends.
func delimited(delimiter string, isRegexp bool) string {
	end := regexp.QuoteMeta(delimiter)
	other := `[^\\\n\` + delimiter
	if !isRegexp {
		return `(?:` + other + `]|\\(?s:.))*` + end
	}
	// What stands between brackets, and means the same to all programs. The class at its end is still
	// open, since the first member is no ^.
	member := `\\[^\]\n]|\[[^\]\[\\:.=\n\` + delimiter + `]|` + other + `\]\[`
	if delimiter != ":" {
		member = `\[:[a-z]+:\]|` + member
	}
	first := `(?:` + member + `^]|\^(?:` + member + `]|\])|\])`
	brackets := `\[(?:\^?\[|` + first + `(?:` + member + `])*\[?)\]`
	return `(?:` + other + `\[]|\\(?s:.)|` + brackets + `)*` + end
}

// sedToken matches a token of a sed script. Its first two groups are what reads or writes a file, the third
// is a label. The order of tokens is not asked for: a script that sed does not understand does nothing.
var sedToken = sync.OnceValue(func() *regexp.Regexp {
	var addresses, substitutions, transformations []string
	for d := range strings.SplitSeq("/|#,:;@!%~_=+&-", "") {
		pattern, text := regexp.QuoteMeta(d)+delimited(d, true), delimited(d, false)
		addresses = append(addresses, pattern)
		substitutions = append(substitutions, pattern+text)
		transformations = append(transformations, regexp.QuoteMeta(d)+text+text)
	}
	return regexp.MustCompile(`^(?:[\s;{}!,$~+0-9=dDgGhHnNpPxzF]+|[lqQ][ \t]*[0-9]*|#[^\n]*` +
		`|(?:/` + delimited("/", true) + `|\\(?:` + strings.Join(addresses, "|") + `))[IM]*` +
		`|s(?:` + strings.Join(substitutions, "|") + `)[gpiImM0-9 \t]*(?:$|[;}\n]|#[^\n]*|(w[^\n]*))` +
		`|y(?:` + strings.Join(transformations, "|") + `)` +
		`|([rRwW][^\n]*)` +
		`|([:btT][ \t]*\w*}*)` +
		`|[aic][ \t]*(?:\\\n|\\?[ \t]*[^\s\\])(?:[^\\\n]|\\(?s:.))*)`)
})

// readSed reports whether a sed script runs nothing, and whether it reads or writes files.
// A script that versions of sed may read differently is not plain.
func readSed(s string) (files, plain bool) {
	plain = s != "" // which may be the value of -i
	for s != "" && plain {
		token := sedToken().FindStringSubmatch(s)
		if token == nil {
			return files, false
		}
		s = s[len(token[0]):]
		files = files || token[1]+token[2] != ""
		if token[3] != "" { // some programs read on to the end of the line
			line, _, _ := strings.Cut(s, "\n")
			plain = (line == "" || strings.IndexByte(" \t;", line[0]) >= 0) && !strings.HasSuffix(line, `\`)
		}
	}
	return files, plain
}

var (
	awkToken   = regexp.MustCompile(`^([A-Za-z_]\w*|[0-9.]+([eE][-+]?[0-9]+)?|"([^"\\\n]|\\(?s:.))*"|#[^\n]*|\\\n|[ \t]+|\|\||\+\+|--|>>|>=|[^\\"])`)
	awkPattern = regexp.MustCompile("^(?:" + delimited("/", true) + ")")
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
		pattern := awkPattern.FindString(rest)
		return rest[len(pattern):], pattern != ""
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

// awkRisks finds an awk program that runs, reads or writes something, and options that may be one.
func awkRisks(words []Word) (out []Risk) {
	p := Named("awk")
	programs := p.operands(words)
	doubtful := false
	for i, x := range words[1:append(programs, len(words))[0]] {
		if !x.isOption() || x.Is("--") || p.length(x.Text) != unreadable {
			continue
		}
		doubtful = true
		if fact, _, _, _ := p.option(x.Text); fact == "" {
			out = append(out, Risk{At: i + 1, Why: "the option " + x.Text + " is not known"})
		}
	}
	if len(programs) > 0 && !doubtful { // else any operand may be the program
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
