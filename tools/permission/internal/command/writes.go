package command

import (
	"path"
	"slices"
	"strings"
)

// written returns the words of a command that name what it writes. A program that writes
// files of any name here writes "./x".
func (p *Program) written(words []Word) (out []Word) {
	operands, values := operandsOf(words, 1)
	if p.super != nil {
		_, at, _ := p.super.sub(words)
		operands, values = operandsOf(words, min(at+1, len(words)))
	}
	nothing := func(x Word) bool {
		return p.list("except").any(func(name string) bool { _, _, is := p.matches(x.Text, name); return is })
	}
	if slices.ContainsFunc(words[1:], nothing) {
		return nil
	}
	switch p.facts["writes"] {
	case "all":
		if len(operands) == 0 && p.is("orhere") {
			return []Word{Of("./x")}
		}
		if nameOf(words[0]) != "mv" {
			values = nil
		}
		return append(operands, values...)
	case "last":
		if len(values) > 0 || slices.ContainsFunc(words[1:], func(x Word) bool { return namesTarget(x, nameOf(words[0]) == "install") }) {
			return append(operands, values...)
		}
		if len(operands) == 1 && nameOf(words[0]) == "ln" {
			return []Word{Of("./" + path.Base(operands[0].Text))}
		}
		return operands[max(0, len(operands)-1):]
	case "first":
		return operands[:min(1, len(operands))]
	case "second":
		if len(operands) < 2 && p.is("orhere") {
			return []Word{Of("./x")}
		}
		return operands[min(1, len(operands)):]
	case "mode":
		return afterMode(operands, words)
	case "of":
		for _, x := range words[1:] {
			if rest, ok := strings.CutPrefix(x.Text, "of="); ok {
				x.Text = rest
				out = append(out, x)
			}
		}
	case "dashed":
		if i := slices.IndexFunc(words, func(x Word) bool { return x.Is("--") }); i >= 0 {
			return words[i+1:]
		}
	case "clone":
		for _, x := range operands {
			if !strings.Contains(x.Text, ":") {
				out = append(out, x)
			}
		}
		if len(out) == 0 {
			return []Word{Of("./x")}
		}
	case "here":
		return []Word{Of("./x")}
	}
	if nameOf(words[0]) == "tar" {
		return tarWrites(words)
	}
	return out
}

// namesTarget reports whether a word is the option -t of a copy, or may become it, or makes
// each operand a folder.
func namesTarget(x Word, folders bool) bool {
	return x.Kind == Unknown && !x.Plain || strings.HasPrefix(x.Text, "--t") || folders && strings.HasPrefix(x.Text, "--d") ||
		x.isOption() && !strings.HasPrefix(x.Text, "--") && (strings.Contains(x.Text, "t") || folders && strings.Contains(x.Text, "d"))
}

// operandsOf returns the words that are not options, and all words after --. values are
// the targets that options -t of a copy name in the same word.
func operandsOf(words []Word, from int) (operands, values []Word) {
	after := false
	for _, x := range words[from:] {
		switch {
		case x.Is("--") && !after:
			after = true
		case after || !x.isOption():
			operands = append(operands, x)
		case strings.HasPrefix(x.Text, "--t"):
			if _, value, ok := strings.Cut(x.Text, "="); ok {
				values = append(values, Of(value))
			}
		case !strings.HasPrefix(x.Text, "--"):
			if _, value, ok := strings.Cut(x.Text, "t"); ok && value != "" {
				values = append(values, Of(value))
			}
		}
	}
	return operands, values
}

// afterMode returns all operands but the first, a mode or an owner, unless that was given
// as an option.
func afterMode(operands, words []Word) []Word {
	given := func(x Word) bool {
		return x.Kind == Unknown || strings.HasPrefix(x.Text, "--ref") || x.isOption() && strings.Trim(x.Text[1:], "rwxXstugo,+-=") == "" && !x.Is("-R")
	}
	if len(operands) > 0 && !slices.ContainsFunc(words[1:], given) {
		return operands[1:]
	}
	return operands
}

// tarWrites returns the archive that tar makes, or the folder that it extracts into.
func tarWrites(words []Word) (out []Word) {
	letters, archive := "", Word{}
	next := func(i int) Word {
		if i+1 < len(words) {
			return words[i+1]
		}
		return Word{}
	}
	for i, x := range words {
		name, value, assigned := strings.Cut(x.Text, "=")
		cluster := i == 1 && !strings.HasPrefix(x.Text, "-")
		switch {
		case i == 0:
		case name == "--file" && assigned:
			archive = Of(value)
		case name == "--file":
			archive = next(i)
		case strings.HasPrefix(name, "--"):
			for action := range list("x:--extract x:--get c:--create c:--append c:--update c:--delete c:--concatenate c:--catenate O:--to-stdout").all() {
				if letter, long, _ := strings.Cut(action, ":"); strings.HasPrefix(long, name) {
					letters += letter
				}
			}
		case !x.isOption() && !cluster:
		default:
			letters += x.Text
			if f := strings.IndexByte(x.Text, 'f'); f >= 0 && (cluster || f == len(x.Text)-1) {
				archive = next(i)
			} else if f >= 0 {
				archive = Of(x.Text[f+1:])
			}
		}
	}
	if strings.Contains(letters, "x") && !strings.Contains(letters, "O") {
		out = append(out, Of("./x"))
	}
	if strings.ContainsAny(letters, "cruA") && archive.Text != "" && archive.Text != "-" {
		out = append(out, archive)
	}
	return out
}
