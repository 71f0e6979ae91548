// Package script takes a shell command apart into the units that rules judge: it walks
// the tree of what was parsed, knows where each part runs, and looks for the files that
// its words may read and write. It asks no rule: what it has to know of the policy is in
// [Rulings]. A part is what words make of it at every level; what counts where commands
// are held, and where they are not, is for the policy to choose.
package script

import (
	"fmt"
	"io/fs"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a-seed-11b9befa/flow/internal/bash"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// Bounds on a shell command; what exceeds them is never allowed.
const (
	MaxSource   = 32 << 10
	MaxCommands = 256
	MaxDepth    = 16
	maxStrings  = 2 * MaxSource // of scripts that are given as strings
)

// Rulings are what has to be known of a policy while a script is taken apart.
type Rulings struct {
	Roots place.Roots
	// Unwritable returns why no rule can allow to write a file, which was named so;
	// UnwritableWhole, why none can allow to write all of a folder. "": one may.
	Unwritable      func(path string, at place.Path) string
	UnwritableWhole func(dir string) string
	// DeniesWrites says that a rule takes files out of what may be written, DeniesPaths
	// that one denies commands with words that look like paths.
	DeniesWrites, DeniesPaths bool
}

// Analyze takes a command apart, and returns the script that runs in its place.
// why says that no rule allows it.
func Analyze(r Rulings, command, dir string) (units []*Unit, script, why string) {
	at, err := r.Roots.Resolve(dir, ".")
	if err != nil || !at.Inside {
		return nil, "", fmt.Sprintf("the working directory %q is not in the workspace", dir)
	}
	w := &walker{
		rules:    r,
		roots:    r.Roots.Caching(),
		budget:   MaxCommands,
		places:   map[string]place.Path{},
		listings: map[string][]fs.DirEntry{},
		scripts:  map[*syntax.CallExpr]map[int]string{},
		dashes:   map[*syntax.CallExpr]int{},
		cdpath:   strings.Contains(command, "CDPATH"),
		dotglob:  strings.Contains(command, "dotglob") || strings.Contains(command, "GLOBIGNORE"),
		globstar: strings.Contains(command, "globstar"),
		expand:   word.Expander{Home: r.Roots.Home, HomeKnown: !changesHome(command), Values: map[*syntax.ParamExp]word.Word{}},
	}
	script, _ = w.script(command, Cwd{Dirs: []string{at.Canonical}}, false)
	w.throughLink()
	w.throughBrought()
	w.inWrittenRepository()
	w.besideAnything()
	for _, name := range []string{"CDPATH", "dotglob", "GLOBIGNORE", "globstar"} {
		if !strings.Contains(command, name) && strings.Contains(script, name) {
			w.refuse("it spells " + name + " in pieces")
		}
	}
	if w.refused != "" {
		return nil, "", w.refused
	}
	if w.budget == MaxCommands {
		return nil, "", "there is no command in it"
	}
	return w.units, script, ""
}

// whyNotParsed returns why a text is refused before it is parsed.
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

// continuesComment reports whether a line that may hold a comment ends in a
// backslash: the parser goes on with the comment on the next line, bash does not.
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

// continuesOperator reports whether the end of a line, taken away by a backslash,
// may split a $ or an operator from what makes it another one: bash joins them,
// the parser does not.
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

// changesHome reports whether a command names HOME other than to read it, after
// which ~ may lead anywhere.
func changesHome(command string) bool {
	reads := strings.Count(command, "$HOME") + strings.Count(command, "${HOME}")
	return strings.Count(command, "HOME") > reads
}
