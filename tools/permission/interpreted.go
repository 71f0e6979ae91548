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
	script := lastScript(key, words)
	for i, w := range words[1:] {
		if which == firstOperand && script > 0 && i+1 > script {
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

// lastScript returns where the last word stands that a program interprets as a script,
// and -1 where that is not known.
func lastScript(key string, words []word) int {
	scripts := named(key).scripts
	if scripts == nil {
		return -1
	}
	found, known := scripts(words)
	if !known || len(found) == 0 || words[slices.Max(found)].kind != static {
		return -1
	}
	return slices.Max(found)
}
