package permission

import (
	"slices"
	"strings"
)

// interprets says which words of a program are no names of files, but something
// that the program reads: a script, an address, the name of a variable. What
// files are called must not become one of them.
type interprets uint8

const (
	firstOperand interprets = iota + 1
	firstWord
	everyWord
)

// interpretedRisks finds the words that a program interprets and that the names
// of files may become.
func interpretedRisks(key string, which interprets, words []word) []risk {
	if which == 0 {
		return nil
	}
	for i, w := range words[1:] {
		if which == firstOperand && isBehindScript(key, words, i+1) {
			return nil
		}
		if w.kind == globbed {
			return []risk{unspellable("the names of files may become what " + key + " interprets")}
		}
		if which == firstWord && i == 0 || which == firstOperand && !w.isOption() && !strings.HasPrefix(words[i].text, "-") {
			return nil
		}
	}
	return nil
}

// isBehindScript reports whether the word at a place follows all that a program
// interprets.
func isBehindScript(key string, words []word, at int) bool {
	scripts := named(key).scripts
	if scripts == nil {
		return false
	}
	found, known := scripts(words)
	return known && len(found) > 0 && at > slices.Max(found) && words[slices.Max(found)].kind == static
}
