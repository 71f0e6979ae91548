package program

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// Interprets says which words of a program are no names of files, but something
// that the program reads: a script, an address, the name of a variable. What
// files are called must not become one of them.
type Interprets uint8

const (
	firstOperand Interprets = iota + 1
	firstWord
	everyWord
)

// interpretedRisks finds the words that a program interprets and that the names
// of files may become.
func interpretedRisks(key string, which Interprets, words []word.Word) []Risk {
	if which == 0 {
		return nil
	}
	script := LastScript(key, words)
	for i, w := range words[1:] {
		if which == firstOperand && script > 0 && i+1 > script {
			return nil
		}
		if w.Kind == word.Globbed {
			return []Risk{Unspellable("the names of files may become what " + key + " interprets")}
		}
		if which == firstWord && i == 0 || which == firstOperand && !w.IsOption() && !strings.HasPrefix(words[i].Text, "-") {
			return nil
		}
	}
	return nil
}

// LastScript returns where the last word stands that a program interprets as a script,
// and -1 where that is not known.
func LastScript(key string, words []word.Word) int {
	scripts := Named(key).Scripts
	if scripts == nil {
		return -1
	}
	found, known := scripts(words)
	if !known || len(found) == 0 || words[slices.Max(found)].Kind != word.Static {
		return -1
	}
	return slices.Max(found)
}
