package permission

import "strings"

// wrapper says how a program that runs another is read: its options, and how
// many words of its own follow before the inner command. An option that is not
// listed makes the command unreadable.
type wrapper struct {
	// bare are short options without a value, valued with one, glued or as the
	// next word.
	bare, valued string
	// long are options without a value, longValued with one, after = or as the
	// next word.
	long, longValued []string
	// operands are words of its own before the inner command.
	operands int
	// assigns says that NAME=value may stand before the inner command.
	assigns bool
	// number says that -5 is an option.
	number bool
	// transparent says that it needs no rule of its own: the inner command is
	// judged in its place. Named by a path it is a program of its own.
	transparent bool
	// inShell says that the shell itself runs the command, and appends that words
	// which are not known are put behind it.
	inShell, appends bool
}

// Where command does not find an inner command.
const (
	noCommand  = 0  // there is none
	unreadable = -1 // it cannot be told
)

// command returns where the inner command begins.
func (r wrapper) command(words []word) int {
	i := 1
	for i < len(words) {
		w := words[i]
		if w.kind != static {
			return unreadable
		}
		if w.text == "--" {
			i++
			break
		}
		if !strings.HasPrefix(w.text, "-") || w.text == "-" {
			break
		}
		n := r.option(w.text)
		if n == unreadable {
			return unreadable
		}
		i += n
	}
	for range r.operands {
		if i < len(words) && words[i].kind != static && words[i].kind != opaque {
			return unreadable
		}
		i++
	}
	for i < len(words) && r.assigns && isAssignment(words[i]) {
		i++
	}
	if i >= len(words) {
		return noCommand
	}
	if words[i].kind == spread {
		return unreadable
	}
	return i
}

// option returns how many words an option takes.
func (r wrapper) option(text string) int {
	if strings.HasPrefix(text, "--") {
		name, _, valued := strings.Cut(text, "=")
		for _, long := range r.long {
			if long == text {
				return 1
			}
		}
		for _, long := range r.longValued {
			if long == name && valued {
				return 1
			}
			if long == name {
				return 2
			}
		}
		return unreadable
	}
	if r.number && isDigits(text[1:]) {
		return 1
	}
	for i := 1; i < len(text); i++ {
		if strings.IndexByte(r.valued, text[i]) >= 0 {
			if i == len(text)-1 {
				return 2
			}
			return 1
		}
		if strings.IndexByte(r.bare, text[i]) < 0 {
			return unreadable
		}
	}
	return 1
}

// isAssignment reports whether a word is NAME=value for env.
func isAssignment(w word) bool {
	return (w.kind == static || w.kind == globbed) && strings.Index(w.text, "=") > 0
}
