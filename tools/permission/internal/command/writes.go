package command

import (
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
		if len(targets) > 0 || slices.ContainsFunc(words[1:], namesTarget) {
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

// namesTarget reports whether a word is the option -t of a copy, or may become it.
func namesTarget(x Word) bool {
	return x.Kind == Unknown && !x.Plain || strings.HasPrefix(x.Text, "--t") || x.isOption() && x.Text[1] != '-' && strings.Contains(x.Text, "t")
}

// givesMode reports whether an option of chmod or chown says what the first operand says
// otherwise.
func givesMode(x Word) bool {
	return x.Kind == Unknown || strings.HasPrefix(x.Text, "--ref") || x.isOption() && strings.Trim(x.Text[1:], "rwxXstugo,+-=") == ""
}
