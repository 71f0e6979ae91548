package program

import (
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// Wrapper says how to read the words of a program that runs another: which options it has,
// and how many operands of its own come before the inner command. An option that is not
// listed makes the command unreadable.
type Wrapper struct {
	// Bare are short options without a value, Valued short options with one, in the
	// same word or the next.
	Bare, Valued string
	// Long are long options without a value, LongValued long options with one, after =
	// or in the next word.
	Long, LongValued list
	// Operands is how many operands come before the inner command.
	Operands int
	// Assigns says that NAME=value may stand before the inner command.
	Assigns bool
	// Number says that -5 is an option.
	Number bool
	// Transparent says that it needs no rule: the inner command is judged in its place.
	// That does not hold for a program that is named by a path.
	Transparent bool
	// InShell says that the shell itself runs the inner command, and Appends that the
	// program adds words to it which are not known.
	InShell, Appends bool
}

// What Command returns when it finds no inner command.
const (
	NoCommand  = 0  // there is none
	Unreadable = -1 // it is not known whether there is one
)

// Command returns the index of the inner command's first word.
func (r Wrapper) Command(words []word.Word) int {
	i := 1
	for i < len(words) {
		w := words[i]
		if w.Kind != word.Static {
			return Unreadable
		}
		if w.Text == "--" {
			i++
			break
		}
		if !strings.HasPrefix(w.Text, "-") || w.Text == "-" {
			break
		}
		n := r.option(w.Text)
		if n == Unreadable {
			return Unreadable
		}
		i += n
	}
	for range r.Operands {
		if i < len(words) && words[i].Kind != word.Static && words[i].Kind != word.Opaque {
			return Unreadable
		}
		i++
	}
	for i < len(words) && r.Assigns && IsAssignment(words[i]) {
		i++
	}
	if i >= len(words) {
		return NoCommand
	}
	if words[i].Kind == word.Spread {
		return Unreadable
	}
	return i
}

// option returns how many words an option and its value take, or Unreadable.
func (r Wrapper) option(text string) int {
	if strings.HasPrefix(text, "--") {
		name, _, valued := strings.Cut(text, "=")
		switch takes := r.LongValued.has(name); {
		case r.Long.has(text), takes && valued:
			return 1
		case takes:
			return 2
		}
		return Unreadable
	}
	if r.Number && word.IsDigits(text[1:]) {
		return 1
	}
	for i := 1; i < len(text); i++ {
		if strings.IndexByte(r.Valued, text[i]) >= 0 {
			if i == len(text)-1 {
				return 2
			}
			return 1
		}
		if strings.IndexByte(r.Bare, text[i]) < 0 {
			return Unreadable
		}
	}
	return 1
}

// IsAssignment reports whether a word is NAME=value for env.
func IsAssignment(w word.Word) bool {
	return (w.Kind == word.Static || w.Kind == word.Globbed) && strings.Index(w.Text, "=") > 0
}
