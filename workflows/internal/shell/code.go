package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a-seed-11b9befa/flow/internal/known"
)

const byArgument = `pass it by the environment, or as an argument: bash -c 'echo "$1"' bash ${{ … }}`

// asCode adds a warning where the value, which is in child, becomes code by what the node does with it.
func (u *Use) asCode(n, child syntax.Node) {
	switch n := n.(type) {
	case *syntax.Assign:
		if n.Name != nil {
			u.assigned(n.Name.Value)
		}
	case *syntax.CallExpr:
		if index := slices.IndexFunc(n.Args, func(w *syntax.Word) bool { return syntax.Node(w) == child }); index >= 0 {
			u.asWord(n, index)
		}
	case *syntax.Stmt:
		if r, is := child.(*syntax.Redirect); is && r.Op != syntax.RdrOut && r.Op != syntax.AppOut {
			u.readBy(n.Cmd)
		}
	case *syntax.BinaryCmd:
		if (n.Op == syntax.Pipe || n.Op == syntax.PipeAll) && child == syntax.Node(n.X) {
			u.readBy(n.Y.Cmd)
		}
	}
}

// assigned adds that the value becomes a part of an environment variable, if that decides what runs.
func (u *Use) assigned(name string) {
	if known.DecidesWhatRuns(name) {
		u.Ruling = "in the variable " + name + ", which changes what programs do"
	}
}

// asWord judges a value in a word of a command.
func (u *Use) asWord(call *syntax.CallExpr, index int) {
	words := wordsOf(call)
	name := path.Base(words[0])
	variable, _, assigns := strings.Cut(words[index], "=")
	sets := slices.Contains([]string{"env", "sudo", "doas"}, name) || words[max(0, index-1)] == "-e" || words[max(0, index-1)] == "--env"
	switch {
	case index == 0 || index == 1 && !assigns && known.RunsFirst(name):
		u.Warning = "in the place of a command's name: its value decides what is run"
	case assigns && (name == "make" || name == "gmake"):
		u.Warning, u.Hint = "in a variable of make, which expands it: its value can be code", "pass it by the environment"
	case assigns && sets:
		u.assigned(variable)
	}
	for start, t := range known.Interpreters(words) {
		if u.Warning == "" && start < index && (t.Runs(words[start:], index-start) || printsFile(call.Args[index]) && t.RunsFile(words[start:], index-start)) {
			u.Warning, u.Hint = "in what "+words[start]+" takes as code", byArgument
		}
	}
}

// readBy judges a value that a command reads.
func (u *Use) readBy(cmd syntax.Command) {
	if cmd == nil {
		return
	}
	syntax.Walk(cmd, func(n syntax.Node) bool {
		call, is := n.(*syntax.CallExpr)
		if !is || len(call.Args) == 0 {
			return true
		}
		words := wordsOf(call)
		for start, t := range known.Interpreters(words) {
			if t.RunsInput(words[start:]) || replaces(words, start) && t.Runs(words[start:], len(words)-1-start) {
				u.Warning, u.Hint = "in what "+words[start]+" reads and runs as a program", byArgument
			}
		}
		return false
	})
}

// replaces reports whether xargs puts what it reads into its last word.
func replaces(words []string, start int) bool {
	return words[0] == "xargs" && slices.ContainsFunc(words[1:max(start, 1)], func(w string) bool {
		return strings.HasPrefix(w, "-I") || strings.HasPrefix(w, "-i") || strings.HasPrefix(w, "--replace")
	})
}

// wordsOf returns the words of a call, each up to the first part of it that is not literal.
func wordsOf(call *syntax.CallExpr) []string {
	words := make([]string, len(call.Args))
	for i, w := range call.Args {
		words[i], _ = literal(w.Parts)
	}
	return words
}

// literal returns the literal text with which parts of a word begin, and whether there is nothing else.
func literal(parts []syntax.WordPart) (text string, whole bool) {
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			text += strings.ReplaceAll(part.Value, `\`, "")
		case *syntax.SglQuoted:
			text += part.Value
		case *syntax.DblQuoted:
			inner, whole := literal(part.Parts)
			if text += inner; !whole {
				return text, false
			}
		default:
			return text, false
		}
	}
	return text, true
}

// printsFile reports whether a word is <( ).
func printsFile(w *syntax.Word) bool {
	return slices.ContainsFunc(w.Parts, func(p syntax.WordPart) bool { _, is := p.(*syntax.ProcSubst); return is })
}

// Quoted returns a text without line breaks as one word for people to read, in quotes where
// a shell needs them.
func Quoted(text string) string {
	if quoted, err := syntax.Quote(text, syntax.LangBash); err == nil {
		return quoted
	}
	return text
}
