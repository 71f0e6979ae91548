package shell

import (
	"maps"
	"strconv"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a-seed-11b9befa/flow/internal/bash"
)

// taints are the variables of a script that contain one of its values, or a part of one.
type taints struct {
	prefix string         // of the names of the values themselves
	holds  map[string]int // the index of the value, by the name of the variable
}

// spread adds the variables to which a value or a tainted variable is assigned, until
// there are no more.
func (t taints) spread(file syntax.Node) {
	for before := -1; before != len(t.holds); {
		before = len(t.holds)
		syntax.Walk(file, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Assign:
				if n.Name != nil && (n.Value != nil || n.Array != nil) {
					t.add(n.Name.Value, n)
				}
			case *syntax.WordIter:
				for _, item := range n.Items {
					t.add(n.Name.Value, item)
				}
			case *syntax.BinaryCmd:
				if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
					t.read(n.Y.Cmd, n.X)
				}
			case *syntax.Stmt:
				for _, r := range n.Redirs {
					t.read(n.Cmd, r)
				}
			}
			return true
		})
	}
}

// add taints a variable to which a part of the script is assigned.
func (t taints) add(name string, from syntax.Node) {
	if _, known := t.holds[name]; known {
		return
	}
	if i, found := t.in(from); found {
		t.holds[name] = i
	}
}

// read taints the variables that a command reads from the output of a part of the script.
func (t taints) read(cmd syntax.Command, from syntax.Node) {
	if cmd == nil {
		return
	}
	syntax.Walk(cmd, func(n syntax.Node) bool {
		call, is := n.(*syntax.CallExpr)
		if !is || len(call.Args) == 0 {
			return true
		}
		switch words, _ := wordsOf(call); words[0] {
		case "read", "mapfile", "readarray":
			for _, name := range words[1:] {
				if syntax.ValidName(name) {
					t.add(name, from)
				}
			}
			t.add("REPLY", from)
		}
		return true
	})
}

// in returns a value that a part of the script has in it, directly or in a variable, and
// passes on: a substitution passes on what its last command prints of it.
func (t taints) in(n syntax.Node) (value int, found bool) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ParamExp:
			if n.Param == nil || n.Length {
				return true
			}
			if i, ours := indexOf(n.Param.Value, t.prefix); ours {
				value, found = i, true
			} else if i, tainted := t.holds[n.Param.Value]; tainted {
				value, found = i, true
			}
		case *syntax.ArithmExp:
			return false // a number
		case *syntax.CmdSubst:
			return len(n.Stmts) > 0 && handsOn(n.Stmts[len(n.Stmts)-1])
		}
		return !found
	})
	return value, found
}

// handsOn reports whether a command prints its arguments or its input, or a part of them.
func handsOn(s *syntax.Stmt) bool {
	switch cmd := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		return handsOn(cmd.Y)
	case *syntax.CallExpr:
		if len(cmd.Args) == 0 {
			return false
		}
		words, _ := wordsOf(cmd)
		switch words[0] {
		case "echo", "printf", "cat", "tr", "head", "tail", "sed", "awk", "cut", "sort", "uniq", "tac", "rev", "tee", "envsubst", "xargs":
			return true
		case "jq":
			return len(words) > 1 && words[len(words)-1] != "length"
		}
		return false
	}
	return true
}

// within calls note for each use of a tainted variable in the tree of a script.
func (t taints) within(file syntax.Node, note func(value int, name string, use Use)) {
	walk(file, func(n syntax.Node, around []syntax.Node) {
		switch n := n.(type) {
		case *syntax.ParamExp:
			if n.Param == nil || n.Length {
				break
			}
			if value, tainted := t.holds[n.Param.Value]; tainted {
				use := useFrom(around, len(around)-1, Use{})
				if n.Excl || n.Exp != nil && n.Exp.Op == syntax.OtherParamOps && n.Exp.Word.Lit() == "P" {
					use = Use{Warning: "where the shell expands it a second time, which can run code"}
				}
				note(value, n.Param.Value, use)
			}
		case *syntax.Word:
			if value, tainted := t.holds[n.Lit()]; tainted && len(around) > 0 && partProblem(around[len(around)-1], n) == AsArithmetic {
				note(value, n.Lit(), Use{Number: true})
			}
		case *syntax.CallExpr:
			t.inner(n, note)
		}
	})
}

// inner is within for the literal script that a call passes to another shell; the words
// behind it are its parameters.
func (t taints) inner(call *syntax.CallExpr, note func(value int, name string, use Use)) {
	words := make([]string, len(call.Args))
	if len(words) > 0 {
		words, _ = wordsOf(call)
	}
	for i, script := range words {
		if i == 0 || !isShell(words[0]) || script == "" || !isScriptOperand(words, i) {
			continue
		}
		file, err := bash.Parse(script)
		if err != nil {
			return
		}
		own := taints{t.prefix, maps.Clone(t.holds)}
		for position, w := range call.Args[i+1:] {
			value, found := t.in(w)
			for _, name := range []string{strconv.Itoa(position), "@", "*"} {
				if found {
					own.holds[name] = value
				}
			}
		}
		own.within(file, note)
		return
	}
}
