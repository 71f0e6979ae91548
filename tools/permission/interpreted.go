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

var interpreters = map[string]interprets{
	"awk": firstOperand, "gawk": firstOperand, "mawk": firstOperand, "nawk": firstOperand,
	"sed": firstOperand, "jq": firstOperand, "printf": firstOperand, "bc": everyWord,
	"tar": firstWord, "ps": everyWord, "date": everyWord, "dd": everyWord,
	"curl": everyWord, "wget": everyWord, "ssh": everyWord, "make": everyWord,
	"alias": everyWord, "bind": everyWord, "compgen": everyWord, "complete": everyWord, "declare": everyWord,
	"enable": everyWord, "env": everyWord, "export": everyWord, "fc": everyWord, "getopts": everyWord,
	"hash": everyWord, "let": everyWord, "local": everyWord, "mapfile": everyWord, "read": everyWord,
	"readarray": everyWord, "readonly": everyWord, "set": everyWord, "shopt": everyWord, "trap": everyWord,
	"typeset": everyWord, "unset": everyWord, "wait": everyWord,
}

// interpretedGuards guards the words that a program interprets and that the names
// of files may become.
func interpretedGuards(key string, words []word) []guard {
	which := interpreters[key]
	if which == 0 {
		return nil
	}
	for i, w := range words[1:] {
		if w.kind == globbed {
			return []guard{unspellable("the names of files may become what " + key + " interprets")}
		}
		if which == firstWord && i == 0 || which == firstOperand && !w.isOption() && !strings.HasPrefix(words[i].text, "-") {
			return nil
		}
	}
	return nil
}
