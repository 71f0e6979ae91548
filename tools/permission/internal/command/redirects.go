package command

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// redirects walks the redirects of a statement, and returns them printed, and the files
// that they read.
func (w *walker) redirects(s *syntax.Stmt) (printed []string, inputs []Word) {
	for _, r := range s.Redirs {
		number := ""
		if r.N != nil {
			if number = r.N.Value; !isDigits(number) {
				w.outside("the descriptor " + number)
			}
		}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			printed = append(printed, number+w.hereDocument(r))
			continue
		case syntax.WordHdoc:
			printed = append(printed, number+"<<<"+w.whole(r.Word).form)
			continue
		case syntax.DplIn, syntax.DplOut:
			if copied := r.Word.Lit(); copied == "-" || isDigits(strings.TrimSuffix(copied, "-")) {
				printed = append(printed, number+r.Op.String()+copied)
				continue
			}
			first, ok := r.Word.Parts[0].(*syntax.Lit)
			if r.Op == syntax.DplIn || number != "" || ok && strings.HasPrefix(first.Value, "-") {
				w.refuse("it copies a descriptor that is not known")
				return nil, nil
			}
		case syntax.RdrIn, syntax.RdrInOut, syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
		default:
			w.outside("the redirect " + r.Op.String())
			w.inside(r)
			continue
		}
		op := r.Op.String()
		if r.Op == syntax.DplOut {
			op = "&>" // after >& bash expands a word twice
		}
		target := w.target(r)
		printed = append(printed, number+op+" "+target.form)
		if strings.Contains(op, "<") {
			inputs = append(inputs, target)
		}
		if strings.Contains(op, ">") {
			w.output(r, target)
		}
	}
	return printed, inputs
}

// target expands the file of a redirect, which is one word.
func (w *walker) target(r *syntax.Redirect) Word {
	words := w.words([]*syntax.Word{r.Word})
	if len(words) != 1 {
		w.refuse("a redirect has to name one file")
		return Word{}
	}
	x := words[0]
	// Where somebody looks at what it wrote, the target may be one of some files.
	known := x.Kind == Static || w.held && x.Kind == Glob && !x.Many && !mayBeNetwork(x.Beginning())
	switch {
	case x.Kind == Static && isNetwork(x.Text):
		w.refuse("it opens a connection (/dev/tcp, /dev/udp)")
	case r.Op != syntax.RdrIn && !known && !isProcess(r.Word):
		w.refuse(w.text(r) + ": the target of a redirect is not known before it runs")
	}
	return x
}

// isNetwork reports whether bash opens a connection for a redirect's target.
func isNetwork(text string) bool {
	text = filepath.Clean("/" + text)
	return strings.HasPrefix(text, "/dev/tcp") || strings.HasPrefix(text, "/dev/udp")
}

// mayBeNetwork reports whether a text may begin the name of a connection.
func mayBeNetwork(beginning string) bool {
	return isNetwork(beginning) || strings.HasPrefix("/dev/tcp", beginning) || strings.HasPrefix("/dev/udp", beginning)
}

// output appends the part of a redirect that writes.
func (w *walker) output(r *syntax.Redirect, target Word) {
	if p := w.addFiles(w.text(r), nil); !isProcess(r.Word) && !target.IsNoFile() {
		p.Writes = []Word{target}
	}
}

// addFiles appends the part of a redirect, or of assignments, with the files that it reads.
func (w *walker) addFiles(source string, reads []Word) *Part {
	p := &Part{Source: source, program: unlisted, NeedsNoRule: true, Reads: reads, At: w.at}
	w.script.Parts = append(w.script.Parts, p)
	return p
}

// isProcess reports whether a word is a process substitution.
func isProcess(word *syntax.Word) bool {
	_, is := word.Parts[0].(*syntax.ProcSubst)
	return is && len(word.Parts) == 1
}

// openInputs appends parts for the files that < names before what is no simple command.
func (w *walker) openInputs(s *syntax.Stmt, inputs []Word) {
	for _, in := range inputs {
		if p := w.addFiles(w.text(s.Redirs[0]), []Word{in}); !in.known() {
			p.Allows = []AllowForm{{Risks: []Risk{unknownInput(in)}}}
		}
	}
}

// unknownInput is the risk of a < whose file is not known before it runs.
func unknownInput(in Word) Risk {
	return Risk{At: -1, Why: "the file that < reads is not known before it runs", Files: !mayBeNetwork(in.Beginning())}
}

// feeds reports whether a statement is given something to read.
func feeds(s *syntax.Stmt) bool {
	return slices.ContainsFunc(s.Redirs, func(r *syntax.Redirect) bool { return strings.HasPrefix(r.Op.String(), "<") })
}

// hereDocument prints a here-document as a here-string, which needs no delimiter.
func (w *walker) hereDocument(r *syntax.Redirect) string {
	if r.Hdoc == nil || len(r.Hdoc.Parts) == 0 {
		return "</dev/null"
	}
	literal := isQuotedDelimiter(r.Word)
	b := builder{w: w}
	fresh := true // at the beginning of a line
	for i, part := range r.Hdoc.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			if literal {
				w.refuse("the end of a here-document can be read in two ways")
			}
			b.expansion(part, true)
			fresh = false
			continue
		}
		text := lit.Value
		if r.Op == syntax.DashHdoc {
			text = withoutTabs(text, fresh)
		}
		fresh = strings.HasSuffix(text, "\n")
		if !literal {
			if strings.Contains(text, "\\\n") {
				w.refuse("a line of a here-document ends in a backslash")
			}
			text = inDocument.Replace(text)
		}
		if i == len(r.Hdoc.Parts)-1 {
			text = strings.TrimSuffix(text, "\n")
		}
		b.literal(text)
	}
	b.flush()
	if b.form.Len() == 0 {
		return "<<<''"
	}
	return "<<<" + b.form.String()
}

// withoutTabs removes the tabs at the beginning of lines; fresh says that the text begins one.
func withoutTabs(text string, fresh bool) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if fresh {
			line = strings.TrimLeft(line, "\t")
		}
		out.WriteString(line)
		fresh = true
	}
	return out.String()
}
