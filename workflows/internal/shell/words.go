package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// codeCommands take words of theirs as code or as names of variables.
func codeCommands() []string {
	return []string{
		"eval", "let", "trap", "source", ".", "alias", "unset", "read", "mapfile", "readarray", "getopts", "declare", "typeset", "local", "readonly", "export",
	}
}

// isShell reports whether a command is a shell.
func isShell(name string) bool {
	return slices.Contains([]string{"sh", "bash", "dash", "zsh", "ksh", "ash"}, path.Base(name))
}

// isInterpreter reports whether a command runs a program that it is given as a
// word.
func isInterpreter(name string) bool {
	base := path.Base(name)
	return strings.TrimRight(base, "0123456789.") == "python" ||
		slices.Contains([]string{"perl", "ruby", "node", "php", "lua", "osascript", "ssh", "su", "awk", "gawk", "mawk", "sed"}, base)
}

// judgeCall judges an expression in the words of a simple command.
func judgeCall(call *syntax.CallExpr, child syntax.Node, use Use) Use {
	place := slices.IndexFunc(call.Args, func(w *syntax.Word) bool { return syntax.Node(w) == child })
	if place < 0 { // an assignment before the command
		return use
	}
	words := make([]string, len(call.Args))
	for i, w := range call.Args {
		words[i] = w.Lit()
	}
	name := words[0]
	switch {
	case place == 0:
		use.Warning = "in the place of a command's name: its value decides what is run"
	case slices.Contains(codeCommands(), name):
		use.Problem = "in the words of " + name + ", which takes them as code or names"
	case isShell(name) && isScriptOperand(words, place):
		use.Problem = "in a script for another shell, where its value would be code"
		use.Hint = `pass it as an argument: ` + name + ` -c 'echo "$1"' ` + name + ` ${{ … }}`
	case (name == "test" || name == "[" || name == "printf") && words[place-1] == "-v":
		use.Problem = asName
	case isInterpreter(name) && isProgram(name, words, place):
		use.Warning = "in a program for " + name + ", where its value can be code"
		use.Hint = "pass it as an argument or by the environment"
	}
	return use
}

// isScriptOperand reports whether a word is what a shell's -c takes.
func isScriptOperand(words []string, place int) bool {
	for i := 1; i < place; i++ {
		if w := words[i]; strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.Contains(w, "c") {
			return i+1 == place || !slices.ContainsFunc(words[i+1:place], func(w string) bool { return !strings.HasPrefix(w, "-") })
		}
	}
	return false
}

// isProgram reports whether a word is likely a program's text.
func isProgram(name string, words []string, place int) bool {
	before := words[place-1]
	switch {
	case strings.HasSuffix(name, "ssh"):
		return place > 1
	case strings.HasSuffix(name, "awk"), strings.HasSuffix(name, "sed"):
		return place == 1 || before == "-e"
	}
	return before == "-c" || before == "-e" || before == "-r"
}
