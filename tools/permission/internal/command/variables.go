package command

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a-seed-11b9befa/flow/internal/known"
)

// assignments are how often a script sets each variable, and those that it only ever sets
// to numbers. hidden says that something in it may set any.
type assignments struct {
	count  map[string]int
	texts  map[string]bool // set to something that may be no number
	hidden bool
}

func assignmentsIn(file *syntax.File) assignments {
	a := assignments{count: map[string]int{}, texts: map[string]bool{}}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil {
				a.note(n.Name.Value, !n.Append && n.Value != nil && isNumber(n.Value))
			}
		case *syntax.WordIter:
			a.note(n.Name.Value, !slices.ContainsFunc(n.Items, func(x *syntax.Word) bool { return !isNumber(x) }))
		case *syntax.CallExpr:
			a.command(n)
		}
		return true
	})
	return a
}

func (a *assignments) note(name string, number bool) {
	a.count[name]++
	a.texts[name] = a.texts[name] || !number
}

// isNumber reports whether a word is a number, or arithmetic, which makes one.
func isNumber(x *syntax.Word) bool {
	if len(x.Parts) == 1 {
		if _, ok := x.Parts[0].(*syntax.ArithmExp); ok {
			return true
		}
	}
	return isDigits(x.Lit())
}

// command notes the variables that a simple command may set.
func (a *assignments) command(call *syntax.CallExpr) {
	if len(call.Args) == 0 {
		return
	}
	switch plainName(call.Args[0]) {
	case "", ".", "source", "command", "builtin":
		a.hidden = true
	case "read":
		for _, x := range call.Args[1:] {
			a.note(x.Lit(), false)
			a.note(x.Lit(), false)
			a.hidden = a.hidden || x.Lit() == ""
		}
	}
}

// plainName returns the name of a command that is written as it is, and "" for any other,
// which may become any.
func plainName(x *syntax.Word) string {
	name := x.Lit()
	if strings.Trim(name, plainCharacters+"[") != "" {
		return ""
	}
	return name
}

// value returns the value of a plain expansion, if it is known.
func (w *walker) value(p *syntax.ParamExp) (Word, bool) {
	if text := w.text(p); p.Param == nil || w.naming || text != "$"+p.Param.Value && text != "${"+p.Param.Value+"}" {
		return Word{}, false
	}
	v, ok := w.vars[p.Param.Value]
	return v, ok
}

// isNumber reports whether a variable has been set, and only to numbers.
func (w *walker) isNumber(name string) bool {
	_, set := w.vars[name]
	return set && w.isNumeric(name)
}

func (w *walker) isNumeric(name string) bool {
	return !w.sets.hidden && !w.sets.texts[name] && w.sets.count[name] > 0
}

// set records the value of a variable that a script sets once, or only to numbers.
func (w *walker) set(name string, value Word) {
	switch {
	case !isOwnVariable(name) || w.sets.hidden:
	case w.sets.count[name] == 1:
		w.vars[name] = value
	case w.isNumeric(name):
		w.vars[name] = Word{Kind: Unknown, Plain: true}
	}
}

// scoped walks what may not run, or runs in a subshell: the variables that it sets are not
// known after it.
func (w *walker) scoped(walk func() string) string {
	before := w.vars
	w.vars = maps.Clone(before)
	out := walk()
	w.vars = before
	return out
}

// isOwnVariable reports whether a variable is a script's own: in lower case, and nothing
// that a program looks at.
func isOwnVariable(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == "" && strings.Trim(name, "_0123456789") != "" && !isLookedAt(name)
}

// isLookedAt reports whether a variable in lower case means something to programs.
func isLookedAt(name string) bool {
	return name == "path" || name == "cdpath" || name == "fpath" || strings.HasPrefix(name, "npm_") || strings.HasSuffix(name, "_proxy")
}

// assignment is NAME=value before a command.
type assignment struct {
	name  string
	value Word
}

// word returns the assignment as a word of a command.
func (a assignment) word() Word {
	w := a.value
	w.Text = a.name + "=" + w.Text
	return w
}

// isFree reports whether the assignment may stand before any command, which is named:
// neither what runs nor what that reads depends on it.
func (a assignment) isFree(command Word, held bool) bool {
	switch {
	case !a.value.known():
		return false
	case a.name == "IFS":
		return command.Is("read")
	case a.name == "CGO_ENABLED":
		return held && (a.value.Text == "0" || a.value.Text == "1")
	case a.name == "GOFLAGS":
		number, counts := strings.CutPrefix(a.value.Text, "-count=")
		return counts && isDigits(number) || list("-v -race -short -trimpath -mod=mod -mod=readonly -mod=vendor -buildvcs=false").has(a.value.Text)
	case known.IsLocale(a.name):
		return isPlainLocale(a.value.Text)
	}
	return known.OnlyShows(a.name) || known.OnlyTunes(a.name) && !strings.ContainsAny(a.value.Text, "/\\$`;|&<>() ")
}

// onlyShows reports whether the assignment changes only how text looks, or is a plain locale.
func (a assignment) onlyShows() bool {
	return known.OnlyShows(a.name) || known.IsLocale(a.name) && a.value.Kind == Static && isPlainLocale(a.value.Text)
}

// isPlainLocale reports whether the encoding of a locale is UTF-8 or ASCII: in others the
// shell may take two of the characters that were judged for one.
func isPlainLocale(value string) bool {
	name, charset, _ := strings.Cut(strings.ToLower(value), ".")
	return charset == "utf-8" || charset == "utf8" || charset == "" && (name == "c" || name == "posix" || name == "")
}
