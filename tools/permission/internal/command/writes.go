package command

import (
	"path"
	"slices"
	"strings"
)

// written returns the words of a command that name what it writes.
func (p *Program) written(words []Word) (out []Word) {
	operands, targets := operandsOf(words)
	switch p.facts["writes"] {
	case "all":
		return append(operands, targets...)
	case "last":
		if len(targets) > 0 || slices.ContainsFunc(words[1:], namesTarget) || slices.ContainsFunc(words[1:], p.makesFolders) {
			return append(operands, targets...)
		}
		return operands[max(0, len(operands)-1):]
	case "second":
		return operands[min(1, len(operands)):]
	case "mode":
		if len(operands) > 0 && !slices.ContainsFunc(words[1:], givesMode) {
			return operands[1:]
		}
		return operands
	case "of":
		for _, x := range words[1:] {
			if rest, ok := strings.CutPrefix(x.Text, "of="); ok {
				x.Text = rest
				out = append(out, x)
			}
		}
	}
	return out
}

// Into returns the names that copies have in the folder that a word names, as far as they are known.
func (p *Part) Into(folder Word) (names []string) {
	if !p.program.is("copies") {
		return nil
	}
	operands, _ := operandsOf(p.own)
	other := []Word{folder}
	for _, i := range p.program.texts(p.own) {
		other = append(other, p.own[min(i, len(p.own)-1)])
	}
	for _, x := range operands {
		if name := path.Base(x.Text); x.Kind == Static && !slices.Contains(other, x) && name != "." && name != ".." {
			names = append(names, name)
		}
	}
	return names
}

// operandsOf returns the words that are not options, and all words after --. targets are
// those that options -t of a copy name in the same word.
func operandsOf(words []Word) (operands, targets []Word) {
	after := false
	for _, x := range words[1:] {
		switch {
		case x.Is("--") && !after:
			after = true
		case after || !x.isOption():
			operands = append(operands, x)
		case namesTarget(x):
			mark := "="
			if x.Text[1] != '-' {
				mark = "t"
			}
			if _, value, _ := strings.Cut(x.Text, mark); value != "" {
				targets = append(targets, Of(value))
			}
		}
	}
	return operands, targets
}

// makesFolders reports whether a word is the option with which install makes all of its operands.
func (p *Program) makesFolders(x Word) bool {
	return p.list("folders").any(func(name string) bool { _, _, is := p.matches(x.Text, name); return is })
}

// namesTarget reports whether a word is the option -t of a copy, or may become it.
func namesTarget(x Word) bool {
	return x.Kind == Unknown && !x.Plain || strings.HasPrefix(x.Text, "--t") || x.isOption() && x.Text[1] != '-' && strings.Contains(x.Text, "t")
}

// givesMode reports whether an option of chmod or chown says what the first operand says
// otherwise.
func givesMode(x Word) bool {
	return x.Kind == Unknown || strings.HasPrefix(x.Text, "--ref") || x.isOption() && strings.Trim(x.Text[1:], "rwxXstugo,+-=") == ""
}
