package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a-seed-11b9befa/flow/internal/bash"
)

// A Variable is one that a script reads and does not set.
type Variable struct {
	Name   string
	Offset int // of its first use, in bytes
}

// Variables gives the variables of the environment that a script needs: those with
// names in capitals that it reads without a default and sets nowhere. It gives none
// for a script that can't be read, or that another file or eval may set them in. Those
// that are called as one of the others count, too.
func Variables(script string, others ...string) []Variable {
	file, err := bash.Parse(script)
	if err != nil {
		return nil
	}
	s := &variableSearch{others: others, set: map[string]bool{}}
	syntax.Walk(file, s.visit)
	if s.elsewhere {
		return nil
	}
	return slices.DeleteFunc(s.read, func(v Variable) bool { return s.set[v.Name] })
}

// A variableSearch goes through the tree of a script.
type variableSearch struct {
	others    []string
	read      []Variable // in the order of the script, each once
	set       map[string]bool
	elsewhere bool // variables may be set where they can't be seen
}

func (s *variableSearch) visit(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.Assign:
		if n.Name != nil {
			s.set[n.Name.Value] = true
		}
	case *syntax.WordIter:
		s.set[n.Name.Value] = true
	case *syntax.CallExpr:
		s.call(n)
	case *syntax.BinaryArithm:
		s.computed(n.X)
	case *syntax.UnaryArithm:
		s.computed(n.X)
	case *syntax.ParamExp:
		if n.Param != nil && n.Exp == nil {
			s.reads(n.Param.Value, int(n.Pos().Offset()))
		}
	}
	return true
}

// reads notes a variable that is read, where it is one that is looked for.
func (s *variableSearch) reads(name string, offset int) {
	wanted := isEnvironment(name) || slices.Contains(s.others, name)
	if wanted && !slices.ContainsFunc(s.read, func(v Variable) bool { return v.Name == name }) {
		s.read = append(s.read, Variable{name, offset})
	}
}

// computed notes what arithmetic may set, as in i = 0 and i++.
func (s *variableSearch) computed(x syntax.ArithmExpr) {
	if word, isWord := x.(*syntax.Word); isWord {
		s.set[word.Lit()] = true
	}
}

// call notes what commands set that take names of variables as words.
func (s *variableSearch) call(n *syntax.CallExpr) {
	if len(n.Args) == 0 {
		return
	}
	switch name := n.Args[0].Lit(); {
	case name == "." || name == "source" || name == "eval":
		s.elsewhere = true
	case slices.Contains(codeCommands(), name), name == "printf":
		for _, word := range n.Args[1:] {
			s.set[word.Lit()] = true
		}
	}
}

// isEnvironment reports whether a name is, by custom, one of the environment: in
// capitals, and neither the shell's own nor one that every command has.
func isEnvironment(name string) bool {
	const shortest = 3
	if len(name) < shortest || strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" {
		return false
	}
	for _, prefix := range []string{"BASH", "COMP", "FLOW_", "LC_", "HIST"} {
		if strings.HasPrefix(name, prefix) {
			return false
		}
	}
	return !slices.Contains([]string{
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "LANG", // of every command
		"PWD", "OLDPWD", "RANDOM", "SRANDOM", "SECONDS", "LINENO", "UID", "EUID", "PPID", "HOSTNAME", "HOSTTYPE", "OSTYPE", "MACHTYPE", "IFS",
		"PS1", "PS2", "PS3", "PS4", "OPTARG", "OPTIND", "OPTERR", "REPLY", "SHLVL", "SHELLOPTS", "FUNCNAME", "PIPESTATUS", "DIRSTACK", "GROUPS",
		"COLUMNS", "LINES", "EPOCHSECONDS", "EPOCHREALTIME", "MAPFILE", "COPROC", "TIMEFORMAT",
	}, name)
}
