package script

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// redirects walks the redirects of a statement, and returns the files that it reads.
func (w *walker) redirects(stmt *syntax.Stmt, at Cwd) (inputs []word.Word) {
	for _, r := range stmt.Redirs {
		w.word(r.Word, at)
		w.word(r.Hdoc, at)
		if r.N != nil && !isDescriptor(r.N.Value) {
			w.construct(r, "it sets a variable to a descriptor")
		}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		case syntax.RdrIn:
			inputs = append(inputs, w.inputs(r, at)...)
		case syntax.RdrInOut:
			inputs = append(inputs, w.inputs(r, at)...)
			w.output(r, at)
		case syntax.DplIn:
			if !word.IsCopy(r.Word.Lit()) {
				w.refuse("it copies a descriptor that is not known")
			}
		case syntax.DplOut:
			switch {
			case word.IsCopy(r.Word.Lit()):
			case startsWithDash(r.Word):
				w.refuse("bash takes what follows >&- for a word of the command")
			default:
				w.output(r, at)
			}
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
			w.output(r, at)
		default:
			w.refuse("it holds a redirect of another shell")
		}
	}
	return inputs
}

// isDescriptor reports whether the text before a redirect is a number, or a variable that
// may be set freely.
func isDescriptor(text string) bool {
	if name, ok := strings.CutPrefix(text, "{"); ok {
		return word.IsFreeVariable(strings.TrimSuffix(name, "}"))
	}
	return word.IsDigits(text)
}

func startsWithDash(word *syntax.Word) bool {
	lit, ok := word.Parts[0].(*syntax.Lit)
	return ok && strings.HasPrefix(lit.Value, "-")
}

// inputs returns the file of a < redirect as words.
func (w *walker) inputs(r *syntax.Redirect, at Cwd) []word.Word {
	words, ok := w.expand.Expand(r.Word)
	if !ok {
		w.refuse("braces make too many words")
	}
	for _, x := range words {
		if isNetwork(x.Text) {
			w.refuse("it opens a connection (/dev/tcp, /dev/udp)")
		}
	}
	return words
}

// isNetwork reports whether bash opens a connection for a redirect's target.
func isNetwork(text string) bool {
	text = filepath.Clean("/" + text)
	return strings.HasPrefix(text, "/dev/tcp") || strings.HasPrefix(text, "/dev/udp")
}

// mayBeNetwork reports whether a redirect's target that is not known may be a connection.
func mayBeNetwork(x word.Word) bool {
	known := x.Lead
	if x.Kind == word.Globbed && !strings.HasPrefix(x.Text, "*") && !strings.HasPrefix(x.Text, "?") && !strings.HasPrefix(x.Text, "[") {
		known = x.Text[:1]
	}
	const tcp, udp = "/dev/tcp", "/dev/udp"
	return known == "" || strings.HasPrefix(known, tcp) || strings.HasPrefix(known, udp) || strings.HasPrefix(tcp, known) || strings.HasPrefix(udp, known)
}

// inputsAlone appends units for the < redirects of what is not a simple command.
func (w *walker) inputsAlone(stmt *syntax.Stmt, inputs []word.Word, at Cwd) {
	for _, in := range inputs {
		if in.Unknown() || in.Kind == word.Globbed {
			w.units = append(w.units, &Unit{Source: w.text(stmt.Redirs[0]), Allows: []AllowForm{{Risks: []program.Risk{unknownInput(in)}}}, IsInput: !mayBeNetwork(in)})
		}
		w.units = append(w.units, &Unit{
			Source: w.text(stmt.Redirs[0]), IsFile: true, At: at, Reason: "it reads a file", Inputs: []word.Word{in},
		})
	}
}

// output appends the unit of a redirect that writes.
func (w *walker) output(r *syntax.Redirect, at Cwd) {
	u := &Unit{Source: w.text(r), IsFile: true, At: at, Reason: "the redirect writes what the write rules allow"}
	words, ok := w.expand.Expand(r.Word)
	if !ok || len(words) == 0 {
		w.refuse("the target of a redirect cannot be told")
	}
	for _, x := range words {
		switch {
		case isNetwork(x.Text):
			u.Refused = "it opens a connection (/dev/tcp, /dev/udp)"
		case x.Kind == word.Opaque && isProcessSubstitution(r.Word):
		case x.Kind != word.Static:
			u.Unsure = "the target of a redirect is not known before it runs"
			if u.Anywhere = true; mayBeNetwork(x) || r.Op == syntax.DplOut {
				u.Refused = u.Unsure
			}
		case x.Text == "/dev/null" || x.Text == "/dev/stdout" || x.Text == "/dev/stderr":
			u.Reason = "it writes no file"
		default:
			u.Targets = append(u.Targets, x)
		}
	}
	w.units = append(w.units, u)
}

func isProcessSubstitution(word *syntax.Word) bool {
	if len(word.Parts) != 1 {
		return false
	}
	_, ok := word.Parts[0].(*syntax.ProcSubst)
	return ok
}

// inputRisks finds a program that runs what it reads from its standard input.
func (w *walker) inputRisks(s simple) []program.Risk {
	if program.Named(program.NameOf(s.words[0])).RunsInput && (w.feeding > 0 || len(s.inputs) > 0 || s.fed) {
		return []program.Risk{program.Unspellable("it runs what it is fed")}
	}
	return nil
}

// isFed reports whether a statement has a here-document or a here-string.
func isFed(stmt *syntax.Stmt) bool {
	return slices.ContainsFunc(stmt.Redirs, func(r *syntax.Redirect) bool { return r.Hdoc != nil || r.Op == syntax.WordHdoc })
}

// feeds reports whether a redirect of a statement gives it something to read.
func feeds(stmt *syntax.Stmt) bool {
	return slices.ContainsFunc(stmt.Redirs, func(r *syntax.Redirect) bool {
		switch r.Op {
		case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
			return true
		}
		return false
	})
}

// isFilter reports whether a command at the end of a pipe only reads the pipe: neither an
// operand nor an option names a file.
func isFilter(s simple) bool {
	if !s.piped || len(s.inputs)+len(s.assigns) > 0 {
		return false
	}
	f := program.Named(s.words[0].Text).Filter
	return f != nil && program.OnlyOptions(s.words[1:], f.Options, f.Sets)
}
