// Package command reads a shell command: it takes it apart into the simple commands and
// redirects that rules judge, and prints it in one form, which bash reads in no other way
// and which runs in its place. It knows no rules.
//
// walk.go walks the tree and prints it, word.go and expansion.go do the same for words,
// call.go for simple commands, and wrappers.go for those that run others. What is known of
// programs is in programs.txt; table.go reads that, risks.go says what a rule has to spell
// of a command, git.go what git does to a repository, and languages.go looks into words that are
// a language of their own, scripts.go into those of sed and awk.
package command

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/a-seed-11b9befa/flow/internal/bash"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
)

// Limits of a command. One that exceeds them is never allowed.
const (
	MaxSource   = 32 << 10
	MaxCommands = 256
	MaxDepth    = 16
	maxStrings  = 2 * MaxSource // bytes of scripts that commands get as strings
	maxLoop     = 32            // words for each of which the body of a loop is judged
)

// Script is a command taken apart.
type Script struct {
	Parts []*Part
	// Text is the script to run in its place.
	Text string
	// Outside is the first construct that is not among those which are judged, or "".
	Outside string
}

// Part is what rules judge: a simple command, or a file that a redirect opens.
type Part struct {
	Source string
	// program is the row of the program in the table, own are its words, without those of a command
	// that it runs, which wraps says; a redirect has none.
	program *Program
	own     []Word
	wraps   bool
	// Allows are the forms of which an allow has to cover one; Forms are those that a deny
	// or ask may match, and Own those of the part itself, without the wrappers around it.
	Allows     []AllowForm
	Forms, Own [][]Word
	// NeedsNoRule says that the command needs no rule unless it has a risk.
	NeedsNoRule bool
	// Reads are the words that may name files, Writes those that name what it writes.
	Reads, Writes []Word
	At            Cwd
}

// AllowForm is one form of a command, with the risks that an allow pattern has to spell.
type AllowForm struct {
	Words []Word
	Risks []Risk
}

// IsRedirect reports whether the part is a file that a redirect opens, or assignments.
func (p *Part) IsRedirect() bool { return len(p.own) == 0 }

// Risks returns the risks of the part.
func (p *Part) Risks() []Risk {
	if len(p.Allows) == 0 {
		return nil
	}
	return p.Allows[0].Risks
}

// anyForm is the form of a command that may be any.
var anyForm = []Word{{Kind: Unknown, Many: true}}

// Parse takes apart a command that runs in a directory. held says that nobody has to know
// from its words which files it reads and writes. An error is the reason why no rule can allow the
// command.
func Parse(roots place.Roots, command, dir string, held bool) (s Script, err error) {
	at, err := roots.Resolve(dir, ".")
	if err != nil || !at.Inside {
		return s, fmt.Errorf("the working directory %q is not in the workspace", dir)
	}
	w := &walker{roots: roots, held: held, script: &s, budget: MaxCommands}
	w.at.Dirs = []string{at.Canonical}
	s.Text = w.file(command)
	if w.refused == "" && w.budget == MaxCommands {
		w.refuse("there is no command in it")
	}
	if s.Outside != "" {
		s.Text = command
	}
	if w.refused != "" {
		err = errors.New(w.refused)
	}
	return s, err
}

// whyNotParsed returns why a text is refused before it is parsed, or "".
func whyNotParsed(text string) string {
	if len(text) > MaxSource {
		return "the command is longer than 32 KiB"
	}
	if bash.TooDeep(text) {
		return "its brackets are nested too deep"
	}
	if what := pattern.StrangeRune(text, "\t\n"); what != "" {
		return "the command holds " + what
	}
	if pattern.StrangeSpace(text) {
		return "the command holds a space or line separator that is no plain blank"
	}
	if continuesComment.MatchString(text) {
		return "a line with a comment ends in a backslash"
	}
	if splitsToken.MatchString(text) {
		return "a backslash at the end of a line splits an operator or an expansion"
	}
	return ""
}

// continuesComment finds a comment whose line ends in a backslash: the parser continues it on
// the next line, bash does not.
var continuesComment = regexp.MustCompile("(?m)(^|[ \\t;&|()<>`}]|(^|[^$])\\{)#.*\\\\$")

// splitsToken finds a backslash at the end of a line that may split an operator, or a $ from
// its expansion: bash joins the two lines, the parser does not.
var splitsToken = regexp.MustCompile(`\$(\\\n)+[^ \t\n\\]|[<>&|;(](\\\n)+[<>&|;(!-]`)

// file walks a whole script: the command, or one that a shell gets as a string.
func (w *walker) file(text string) (printed string) {
	if why := whyNotParsed(text); why != "" {
		w.refuse(why)
		return ""
	}
	file, err := bash.Parse(text)
	if err != nil {
		w.refuse("the command cannot be read as bash: " + err.Error())
		return ""
	}
	w.source, w.sets, w.vars, w.naming = text, assignmentsIn(file), map[string]Word{}, false
	for i, stmt := range file.Stmts {
		if i > 0 {
			printed += "\n"
		}
		if printed += w.stmt(stmt); stmt.Background {
			printed += " &"
		}
	}
	return printed
}
