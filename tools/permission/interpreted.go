package permission

import "strings"

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
		if w.kind == globbed {
			return []risk{unspellable("the names of files may become what " + key + " interprets")}
		}
		if which == firstWord && i == 0 || which == firstOperand && !w.isOption() && !strings.HasPrefix(words[i].text, "-") {
			return nil
		}
	}
	return nil
}
