package shell

import (
	"errors"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a-seed-11b9befa/flow/internal/bash"
)

// A Use is where a value stands in a script, and what the shell does with it there. The
// texts complete "the expression stands …"; each may be "".
type Use struct {
	Bare    bool   // outside of double quotes: it needs some to be one word
	Number  bool   // the shell evaluates it as arithmetic: only a number may stand there
	Problem string // why no value may stand there
	Warning string // why a value should not stand there
	Ruling  string // why nothing that a model may have written should stand there
	Hint    string // how to write it instead
}

// An Error is why a script can't be read.
type Error struct {
	Offset  int // bytes in the script; -1: the whole
	Message string
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Uses determines how bash reads the values in a script, which are variables called
// prefix1, prefix2 and so on up to count, written ${prefix1}. It returns a use for each. What
// the script does with its own variables, which may have such a value, is not followed. The error
// is of type *[Error].
func Uses(script, prefix string, count int) ([]Use, error) {
	file, err := bash.Parse(script, syntax.KeepComments(true))
	if err != nil {
		return nil, asError(err)
	}
	found := findUses(file, prefix)
	uses := make([]Use, count)
	for i := range uses {
		use, there := found[i]
		if !there {
			use.Problem = "inside quotes or a pattern that the shell does not expand"
		}
		uses[i] = use
	}
	return uses, nil
}

// CheckEnd returns an error of type *[Error] for a script whose end is missing, which no
// shell can read, whatever else in it this parser might not know. It does not judge scripts
// that may exit before their end, or have here-documents, which the end of a script closes.
func CheckEnd(script string) error {
	for _, word := range []string{"<<", "exit", "exec", "return"} {
		if strings.Contains(script, word) {
			return nil
		}
	}
	_, err := bash.Parse(script)
	if !syntax.IsIncomplete(err) {
		return nil
	}
	return asError(err)
}

func asError(err error) *Error {
	var detailed syntax.ParseError
	if !errors.As(err, &detailed) {
		return &Error{Offset: -1, Message: err.Error()}
	}
	return &Error{Offset: int(detailed.Pos.Offset()), Message: detailed.Text}
}

// indexOf returns the index of a value from the name of its variable; false for other
// variables.
func indexOf(name, prefix string) (int, bool) {
	digits, ours := strings.CutPrefix(name, prefix)
	number, err := strconv.Atoi(digits)
	return number - 1, ours && err == nil
}

// findUses returns the uses of the values in the tree of a script, by their indexes.
func findUses(file *syntax.File, prefix string) map[int]Use {
	found := map[int]Use{}
	walk(file, func(n syntax.Node, around []syntax.Node) {
		switch n := n.(type) {
		case *syntax.ParamExp:
			if n.Param != nil {
				if i, ours := indexOf(n.Param.Value, prefix); ours {
					found[i] = useOf(around)
				}
			}
		case *syntax.SglQuoted:
			mark(found, prefix, n.Value, Use{Problem: "inside single quotes, where its value would be code for whoever reads the text", Hint: "use double quotes: \"${{ … }}\""})
		case *syntax.Comment:
			mark(found, prefix, n.Text, Use{})
		case *syntax.Lit:
			if strings.Contains(n.Value, `\${`+prefix) {
				mark(found, prefix, n.Value, Use{Problem: "behind a backslash, so that the shell does not expand it"})
				break
			}
			mark(found, prefix, n.Value, Use{Problem: "where the shell does not expand it, such as a here-document with a quoted delimiter", Hint: "use a here-document without quotes around its delimiter"})
		}
	})
	return found
}

// walk visits the nodes of a tree, each with the nodes around it, the outermost first.
// visit must not keep these.
func walk(tree syntax.Node, visit func(n syntax.Node, around []syntax.Node)) {
	var around []syntax.Node
	syntax.Walk(tree, func(n syntax.Node) bool {
		if n == nil {
			around = around[:len(around)-1]
			return true
		}
		visit(n, around)
		around = append(around, n)
		return true
	})
}

// mark records a use for every value in a text that the shell does not expand.
func mark(found map[int]Use, prefix, text string, use Use) {
	for rest := text; ; {
		_, after, has := strings.Cut(rest, "${"+prefix)
		if !has {
			return
		}
		name, _, _ := strings.Cut(after, "}")
		if i, ours := indexOf(prefix+name, prefix); ours {
			found[i] = use
		}
		rest = after
	}
}
