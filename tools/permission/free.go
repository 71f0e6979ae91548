package permission

import (
	"slices"
	"strings"
)

// isPlainSet reports whether set has no options but -e, -u, -x and -o pipefail.
func isPlainSet(words []word) bool {
	args := words[1:]
	for i := 0; i < len(args); i++ {
		letters, ok := strings.CutPrefix(args[i].text, "-")
		if args[i].kind != static || !ok || letters == "" {
			return false
		}
		if plain, option := strings.CutSuffix(letters, "o"); option {
			if i++; i == len(args) || !args[i].is("pipefail") {
				return false
			}
			letters = plain
		}
		if strings.Trim(letters, "eux") != "" {
			return false
		}
	}
	return len(args) > 0
}

// isPlainRead reports whether read sets variables of the script's own, with no
// option but -r.
func isPlainRead(words []word) bool {
	names := 0
	for _, w := range words[1:] {
		switch {
		case w.is("-r") && names == 0:
		case w.kind == static && isFreeVariable(w.text):
			names++
		default:
			return false
		}
	}
	return names > 0
}

// isTextOnly reports whether a command does nothing with its words but print or
// compare them, so that they may be anything.
func isTextOnly(words []word) bool {
	if words[0].kind != static {
		return false
	}
	return named(words[0].text).textOnly.of(words)
}

// isPlainTest reports whether no word of a test that is not known may be taken
// for an operator: some of them evaluate what they are given.
func isPlainTest(words []word) bool {
	args := words[1:]
	if !slices.ContainsFunc(args, func(w word) bool { return w.unknown() || w.kind == globbed }) {
		return true
	}
	if words[0].is("[") {
		if !args[len(args)-1].is("]") {
			return false
		}
		args = args[:len(args)-1]
	}
	if len(args) > 0 && args[0].is("!") {
		args = args[1:]
	}
	switch len(args) {
	case 1: // a text that is empty or not
		return isOneWord(args[0])
	case 2:
		return isFileTest(args[0]) && isOneWord(args[1])
	case 3:
		return isComparison(args[1]) && isOneWord(args[0]) && isOneWord(args[2])
	}
	return false
}

// isOneWord reports whether a word stays one, whatever it becomes.
func isOneWord(w word) bool { return w.kind == static || w.kind == opaque || w.kind == dynamic }

// isFileTest reports whether a word is an operator that looks at a file or a
// text.
func isFileTest(op word) bool {
	return op.kind == static && len(op.text) == 2 && op.text[0] == '-' && strings.IndexByte("bcdefghknprstuwxzGLNOS", op.text[1]) >= 0
}

// isComparison reports whether a word is an operator that compares texts,
// numbers or files. In test and [ numbers are read, in [[ ]] they are evaluated.
func isComparison(op word) bool {
	if op.kind != static {
		return false
	}
	switch op.text {
	case "=", "==", "!=", "<", ">", "-nt", "-ot", "-ef", "-eq", "-ne", "-lt", "-le", "-gt", "-ge":
		return true
	}
	return false
}

// hasStaticFormat reports whether the format of printf is known, and assigns no
// variable.
func hasStaticFormat(words []word) bool {
	args := words[1:]
	if len(args) > 0 && args[0].is("--") {
		args = args[1:]
	}
	return len(args) > 0 && args[0].kind == static && !assignsByFormat(args[0].text)
}

// assignsByFormat reports whether a format has %n, which sets a variable.
func assignsByFormat(format string) bool {
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		for i++; i < len(format) && strings.IndexByte("-+ #0123456789.*hlLjzt'", format[i]) >= 0; i++ {
		}
		if i < len(format) && format[i] == 'n' {
			return true
		}
	}
	return false
}
