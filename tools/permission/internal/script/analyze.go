// Package script takes a shell command apart into the units that rules judge: it walks
// the parsed tree, and keeps track of the directory in which each part runs. It knows no
// rules. A unit holds what matters at every [program.Level]; the policy chooses what
// counts where commands are held, and where they are not.
package script

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a-seed-11b9befa/flow/internal/bash"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// Limits of a shell command. One that exceeds them is never allowed.
const (
	MaxSource   = 32 << 10
	MaxCommands = 256
	MaxDepth    = 16
	maxStrings  = 2 * MaxSource // bytes of scripts that commands get as strings
)

// Script is a command taken apart.
type Script struct {
	Units []*Unit
	// Text is the script to run in place of the command.
	Text string
	// Unordered says that parts of it may run again, later or at the same time; Dotglob
	// that globs may match names that start with a dot; Globstar that ** may match
	// directories.
	Unordered, Dotglob, Globstar bool
}

// Walk takes apart a command that runs in a directory. If why is not empty, it is the
// reason why no rule can allow the command.
func Walk(roots place.Roots, command, dir string) (s Script, why string) {
	w := &walker{
		roots:   roots,
		budget:  MaxCommands,
		scripts: map[*syntax.CallExpr]map[int]string{},
		dashes:  map[*syntax.CallExpr]int{},
		cdpath:  strings.Contains(command, "CDPATH"),
		expand:  word.Expander{Home: roots.Home, HomeKnown: !changesHome(command), Values: map[*syntax.ParamExp]word.Word{}},
	}
	s.Dotglob = strings.Contains(command, "dotglob") || strings.Contains(command, "GLOBIGNORE")
	s.Globstar = strings.Contains(command, "globstar")
	s.Text, _ = w.script(command, Cwd{Dirs: []string{dir}})
	for _, name := range []string{"CDPATH", "dotglob", "GLOBIGNORE", "globstar"} {
		if !strings.Contains(command, name) && strings.Contains(s.Text, name) {
			w.refuse("it spells " + name + " in pieces")
		}
	}
	if w.refused == "" && w.budget == MaxCommands {
		w.refuse("there is no command in it")
	}
	s.Units, s.Unordered = w.units, w.unordered
	return s, w.refused
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
	if continuesComment(text) {
		return "a line with a comment ends in a backslash"
	}
	if continuesOperator(text) {
		return "a backslash at the end of a line splits an operator or an expansion"
	}
	return ""
}

// continuesComment reports whether a line that may hold a comment ends in a backslash:
// the parser continues the comment on the next line, bash does not.
func continuesComment(text string) bool {
	for line := range strings.Lines(text) {
		if !strings.HasSuffix(line, "\\\n") {
			continue
		}
		for i := range len(line) {
			if line[i] == '#' && (i == 0 || strings.IndexByte(" \t;&|()<>`{}", line[i-1]) >= 0 && !strings.HasPrefix(line[max(0, i-2):], "${")) {
				return true
			}
		}
	}
	return false
}

// continuesOperator reports whether a backslash at the end of a line may split an
// operator, or a $ from its expansion: bash joins the two lines, the parser does not.
func continuesOperator(text string) bool {
	for rest := text; ; {
		before, after, found := strings.Cut(rest, "\\\n")
		if !found {
			return false
		}
		for strings.HasPrefix(after, "\\\n") {
			after = after[2:]
		}
		rest = after
		if before == "" || after == "" {
			continue
		}
		switch last, next := before[len(before)-1], after[:1]; {
		case last == '$' && !strings.ContainsAny(next, " \t\n"):
			return true
		case strings.IndexByte("<>&|;(", last) >= 0 && strings.ContainsAny(next, "<>&|;(-!"):
			return true
		}
	}
}

// changesHome reports whether a command may do more with HOME than read it. If it does, ~
// may be any directory.
func changesHome(command string) bool {
	reads := strings.Count(command, "$HOME") + strings.Count(command, "${HOME}")
	return strings.Count(command, "HOME") > reads
}
