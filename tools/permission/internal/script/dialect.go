package script

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// bashOnly are the marks of what bash reads in one way and another shell in
// another, or not at all.
var bashOnly = []string{
	"$'", `$"`, "$[", "<(", ">(", "=(", "&>", ">&", "|&", "<&", "[[", "((", "<<<", "function", "select", "coproc", "time",
	"@(", "?(", "*(", "+(", "!(", ";&", ";;&", "~+", "~-",
}

// readsOtherwise reports whether a shell may read a script otherwise than bash.
// Marks are looked for in the text alone, so quoted ones count too.
func readsOtherwise(shell, script string) bool {
	switch shell {
	case "":
		return false
	case "zsh": // it has commands, words and expansions that bash takes for names
		return true
	}
	script = copiesOfDescriptors.Replace(script + "\n")
	for _, mark := range bashOnly {
		if strings.Contains(script, mark) {
			return true
		}
	}
	_, braces, _ := strings.Cut(script, "{")
	if strings.Contains(braces, ",") || strings.Contains(braces, "..") {
		return true
	}
	_, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(script), "")
	return err != nil
}

// copiesOfDescriptors takes out the redirects that all shells know.
var copiesOfDescriptors = strings.NewReplacer("2>&1 ", " ", "1>&2 ", " ", ">&2 ", " ", "2>&1\n", "\n", ">&2\n", "\n")
