package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a-seed-11b9befa/flow/internal/bash"
)

// A Variable is read by a script that does not set it.
type Variable struct {
	Name   string
	Offset int // of its first use, in bytes
}

// Variables returns the environment variables that a script needs: those with names in
// capitals, or one of the others, that it reads without a default and never sets. It
// returns none for a script that can't be parsed, or that reads another file or evaluates
// text, which may set them.
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

// A variableSearch collects the variables in the tree of a script.
type variableSearch struct {
	others    []string
	read      []Variable // in the order of the script, each once
	set       map[string]bool
	elsewhere bool // variables may be set by code that is not in the tree
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

// reads records a variable that is read, if it is one of those that are searched.
func (s *variableSearch) reads(name string, offset int) {
	wanted := isEnvironment(name) || slices.Contains(s.others, name)
	if wanted && !slices.ContainsFunc(s.read, func(v Variable) bool { return v.Name == name }) {
		s.read = append(s.read, Variable{name, offset})
	}
}

// computed records a variable that arithmetic may set, as in i = 0 and i++.
func (s *variableSearch) computed(x syntax.ArithmExpr) {
	if word, isWord := x.(*syntax.Word); isWord {
		s.set[word.Lit()] = true
	}
}

// setters are commands whose words are names of variables.
var setters = []string{"let", "trap", "alias", "unset", "read", "mapfile", "readarray", "getopts", "declare", "typeset", "local", "readonly", "export", "printf"}

// call records the variables that a command sets whose words are names of variables.
func (s *variableSearch) call(n *syntax.CallExpr) {
	if len(n.Args) == 0 {
		return
	}
	switch name := n.Args[0].Lit(); {
	case name == "." || name == "source" || name == "eval":
		s.elsewhere = true
	case slices.Contains(setters, name):
		for _, word := range n.Args[1:] {
			s.set[word.Lit()] = true
		}
	}
}

// isEnvironment reports whether a name is, by convention, that of an environment variable:
// in capitals, and neither the shell's own nor one that every command has.
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
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "LANG", "TRACEPARENT", // of every command
		"PWD", "OLDPWD", "RANDOM", "SRANDOM", "SECONDS", "LINENO", "UID", "EUID", "PPID", "HOSTNAME", "HOSTTYPE", "OSTYPE", "MACHTYPE", "IFS",
		"PS1", "PS2", "PS3", "PS4", "OPTARG", "OPTIND", "OPTERR", "REPLY", "SHLVL", "SHELLOPTS", "FUNCNAME", "PIPESTATUS", "DIRSTACK", "GROUPS",
		"COLUMNS", "LINES", "EPOCHSECONDS", "EPOCHREALTIME", "MAPFILE", "COPROC", "TIMEFORMAT",
	}, name)
}
