package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// codeCommands are commands whose words are code or names of variables.
func codeCommands() []string {
	return []string{
		"eval", "let", "trap", "source", ".", "alias", "unset", "read", "mapfile", "readarray", "getopts", "declare", "typeset", "local", "readonly", "export",
	}
}

// Quoted returns a text without line breaks as one word for people to read, in quotes where
// a shell needs them.
func Quoted(text string) string {
	if quoted, err := syntax.Quote(text, syntax.LangBash); err == nil {
		return quoted
	}
	return text
}

// judgeCall judges an expression in the words of a simple command.
func judgeCall(call *syntax.CallExpr, child syntax.Node, use Use) Use {
	index := slices.IndexFunc(call.Args, func(w *syntax.Word) bool { return syntax.Node(w) == child })
	if index < 0 { // an assignment before the command
		return use
	}
	words, begins := wordsOf(call)
	if name, _, assigns := strings.Cut(begins[index], "="); assigns && index > 0 && (slices.Contains(setters, path.Base(words[0])) || words[index-1] == "-e" || words[index-1] == "--env") {
		use = use.assigned(name)
	}
	if index == 0 || index == 1 && slices.Contains(plainWrappers, path.Base(words[0])) && !strings.Contains(begins[1], "=") {
		use.Warning = "in the place of a command's name: its value decides what is run"
		return use
	}
	for _, start := range commandsIn(words) {
		if start >= index {
			break
		}
		if judged := judgeWords(words[start:], begins[start:], index-start, use); judged.Problem != "" || judged.Warning != "" {
			return judged
		}
	}
	if base := path.Base(words[0]); (base == "make" || base == "gmake") && strings.Contains(begins[index], "=") {
		use.Warning = "in a variable of make, which expands it: its value can be code"
		use.Hint = "pass it by the environment"
	} else if printsFile(call.Args[index]) && runsFile(words, index) {
		use.Warning = "in what " + words[0] + " runs as a script"
	}
	return use
}

// wordsOf returns the words of a call, "" for those that are not literal, and the literal
// beginning of each.
func wordsOf(call *syntax.CallExpr) (words, begins []string) {
	for _, w := range call.Args {
		words, begins = append(words, staticText(w)), append(begins, beginning(w))
	}
	return words, begins
}

// staticText returns the text of a literal word; "" for any other.
func staticText(w *syntax.Word) string {
	text := ""
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			text += strings.ReplaceAll(part.Value, `\`, "")
		case *syntax.SglQuoted:
			text += part.Value
		case *syntax.DblQuoted:
			if inner := (&syntax.Word{Parts: part.Parts}).Lit(); inner != "" {
				text += inner
			} else {
				return ""
			}
		default:
			return ""
		}
	}
	return text
}

// beginning returns the literal text with which a word begins.
func beginning(w *syntax.Word) string {
	var parts []syntax.WordPart
	for _, part := range w.Parts {
		if quoted, is := part.(*syntax.DblQuoted); is {
			parts = append(parts, quoted.Parts...)
		} else {
			parts = append(parts, part)
		}
	}
	text := ""
	for _, part := range parts {
		lit, is := part.(*syntax.Lit)
		if !is {
			break
		}
		text += lit.Value
	}
	return text
}

// judgeWords judges an expression in the words behind the name of a command.
func judgeWords(words, begins []string, index int, use Use) Use {
	name := words[0]
	switch {
	case slices.Contains(codeCommands(), name):
		use.Problem = "in the words of " + name + ", which takes them as code or names"
	case isShell(name) && isScriptOperand(words, index):
		use.Problem = "in a script for another shell, where its value would be code"
		use.Hint = `pass it as an argument: ` + name + ` -c 'echo "$1"' ` + name + ` ${{ … }}`
	case (name == "test" || name == "[" || name == "printf") && words[index-1] == "-v":
		use.Problem = asName
	case !isShell(name) && slices.ContainsFunc(interpretersCalled(name), func(t interpreter) bool { return t.takesProgram(begins, index) }):
		use.Warning = "in a program for " + name + ", where its value can be code"
		use.Hint = "pass it as an argument or by the environment"
	}
	return use
}

// isScriptOperand reports whether a word is the script of a shell's -c.
func isScriptOperand(words []string, index int) bool {
	for i := 1; i < index; i++ {
		if w := words[i]; strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.Contains(w, "c") {
			return i+1 == index || !slices.ContainsFunc(words[i+1:index], func(w string) bool { return !strings.HasPrefix(w, "-") })
		}
	}
	return false
}

// printsFile reports whether a word is <( ).
func printsFile(w *syntax.Word) bool {
	return slices.ContainsFunc(w.Parts, func(p syntax.WordPart) bool { _, is := p.(*syntax.ProcSubst); return is })
}

// runsFile reports whether the word at an index is the script file that a call runs.
func runsFile(words []string, index int) bool {
	return slices.ContainsFunc(interpretersCalled(words[0]), func(t interpreter) bool {
		return t.input && !slices.ContainsFunc(words[1:index], t.isOption) && len(t.operands(words[1:index])) == 0
	})
}

// runsInput returns the program in a command that runs what it reads; "" for none.
func runsInput(cmd syntax.Command) string {
	found := ""
	if cmd == nil {
		return ""
	}
	syntax.Walk(cmd, func(n syntax.Node) bool {
		call, is := n.(*syntax.CallExpr)
		if !is || len(call.Args) == 0 {
			return found == ""
		}
		words, _ := wordsOf(call)
		for _, start := range commandsIn(words) {
			for _, t := range interpretersCalled(words[start]) {
				if t.runsInput(words[start:]) || replacesInScript(words, start) {
					found = words[start]
				}
			}
		}
		return false
	})
	return found
}

// replacesInScript reports whether xargs inserts what it reads into the script that the
// command at an index runs.
func replacesInScript(words []string, start int) bool {
	if path.Base(words[0]) != "xargs" {
		return false
	}
	mark := ""
	for i, w := range words[1:start] {
		switch {
		case w == "-I" && i+2 < len(words):
			mark = words[i+2]
		case strings.HasPrefix(w, "-I"):
			mark = w[2:]
		case w == "-i" || w == "--replace":
			mark = "{}"
		case strings.HasPrefix(w, "--replace="):
			mark = w[len("--replace="):]
		}
	}
	for i := start + 1; mark != "" && i < len(words); i++ {
		if strings.Contains(words[i], mark) && isScriptOperand(words[start:], i-start) {
			return true
		}
	}
	return false
}
