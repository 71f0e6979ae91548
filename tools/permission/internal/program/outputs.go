package program

import (
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// OutputOption is the option with which a program is told the one file that it writes.
// No rule has to spell it where the write rules allow that file.
type OutputOption struct {
	Short string // a letter, with its value glued or behind it
	Long  list   // with two dashes
	Flags list   // of Go programs
}

// File returns the output file that the option found as a risk names.
func (o OutputOption) File(words []word.Word, g Risk) (file word.Word, ok bool) {
	at := g.At
	text := words[at].Text
	if cluster := len(g.Names) == 1 && !strings.HasPrefix(text, "--") && o.Short != "" && strings.HasSuffix(text, o.Short); cluster {
		text = "-" + o.Short // the last of several letters
	}
	name, value, glued := strings.Cut(text, "=")
	long := o.Long.has(name) || o.Flags.has(strings.TrimLeft(name, "-"))
	switch {
	case long && glued:
		return word.Of(value), true
	case !long && (o.Short == "" || !strings.HasPrefix(text, "-"+o.Short)):
		return word.Word{}, false
	case !long && len(text) > 2:
		return word.Of(text[2:]), true
	case at+1 < len(words):
		return words[at+1], true
	}
	return word.Word{}, false
}

// Output is what an option of a command has it write: a file, or with InPlace the files
// that the operands name.
type Output struct {
	File    word.Word
	InPlace bool
}

// outputs returns what the options among the risks have the command write, and sets
// Lands of those risks.
func (f *Facts) outputs(words []word.Word, risks []Risk) (outs []Output) {
	for i, g := range risks {
		if g.At <= 0 || len(g.Names) == 0 {
			continue
		}
		out := Output{InPlace: f.InPlace.has(g.Names[0])}
		if !out.InPlace && f.Output != nil {
			out.File, _ = f.Output.File(words, g)
		}
		if out.InPlace || out.File.Kind == word.Static && out.File.Text != "" && !strings.Contains(out.File.Text, "#") {
			outs = append(outs, out)
			risks[i].Lands = len(outs)
		}
	}
	return outs
}
