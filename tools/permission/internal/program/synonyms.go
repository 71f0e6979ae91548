package program

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// SameForms returns other ways to write a command. Options before a subcommand, and their
// values, stay where they are.
func SameForms(key string, words []word.Word) (out []Form) {
	if key == "git" {
		return forcedPush(words)
	}
	out = otherWords(Named(key), words)
	subcommands := 0
	for i, x := range words[1:] {
		if x.Kind != word.Static || x.IsOption() {
			continue
		}
		for _, group := range Named(key).Synonyms {
			for _, said := range group {
				length := len(strings.Fields(said))
				if !isSaid(words[i+1:], said) {
					continue
				}
				for _, other := range group {
					if other != said {
						out = append(out, replaced(words, i+1, length, other))
					}
				}
			}
		}
		if !words[i].IsOption() {
			subcommands++
		}
		if subcommands > 1 {
			break
		}
	}
	return out
}

// otherWords returns a command with the subcommands that its words may stand for, and with
// each of its tasks as the first.
func otherWords(known *Facts, words []word.Word) (out []Form) {
	if known.Shortens || known.Aliases {
		words, out = spelledOut(known, words)
	}
	for i := 2; known.Tasks && i < len(words); i++ {
		if !words[i].IsOption() {
			out = append(out, Form{words[0], slices.Concat(words[i:i+1], words[1:i], words[i+1:])})
		}
	}
	return out
}

// spelledOut replaces words in the place of a subcommand that are no known one by what
// they may be an abbreviation of. It returns the words, and the same as a form.
func spelledOut(known *Facts, words []word.Word) ([]word.Word, []Form) {
	long := slices.Clone(words)
	for i, w := range words {
		if i == 0 || w.Kind != word.Static || w.IsOption() {
			continue
		}
		if known.Commands.has(w.Text) {
			break
		}
		if known.Aliases {
			return words, []Form{{words[0], []word.Word{{Kind: word.Spread}}}}
		}
		long[i] = word.Word{Kind: word.Globbed, Text: w.Text, Atoms: begun(w.Text)}
		if len(known.Commands) > 0 && !words[i-1].IsOption() {
			break // the subcommand was further to the left
		}
	}
	return long, []Form{{words[0], long[1:]}}
}

// begun returns a glob for the names of which a text may be an abbreviation. Each part
// that begins with a capital may be cut short, as in cB for compileBuild.
func begun(text string) (atoms []pattern.Atom) {
	var glob strings.Builder
	for _, r := range text {
		if 'A' <= r && r <= 'Z' {
			glob.WriteByte('*')
		}
		glob.WriteRune(r)
	}
	return pattern.Glob(glob.String() + "*")
}

// Carried returns the command among a program's words that it runs, such as the one after
// npx or python3 -m, or nil.
func Carried(key string, words []word.Word) []word.Word {
	for _, lead := range Named(key).Carries {
		for i := 1; i < len(words); i++ {
			w := words[i]
			if glued, is := strings.CutPrefix(w.Text, lead); is && w.Kind == word.Static && len(lead) == 2 && lead[0] == '-' && glued != "" {
				return append([]word.Word{word.Of(glued)}, words[i+1:]...)
			}
			if lead != "" && w.Is(lead) && i+1 < len(words) {
				return words[i+1:]
			}
			if lead == "" && !w.IsOption() {
				return words[i:]
			}
		}
	}
	return nil
}

// isSaid reports whether words begin with the words of a text.
func isSaid(words []word.Word, text string) bool {
	said := strings.Fields(text)
	return len(said) <= len(words) && slices.EqualFunc(words[:len(said)], said, func(w word.Word, text string) bool { return w.Kind == word.Static && pattern.Fold(w.Text) == text })
}

func replaced(words []word.Word, at, length int, by string) Form {
	out := slices.Clone(words[1:at])
	for _, text := range strings.Fields(by) {
		out = append(out, word.Of(text))
	}
	return Form{words[0], append(out, words[at+length:]...)}
}

// forcedPush returns a push that overwrites or deletes something in all the ways to write
// that, such as --force. Any other command has none.
func forcedPush(words []word.Word) []Form {
	sub, known := GitSubcommand(words)
	if !known || sub == len(words) || !words[sub].Is("push") {
		return nil
	}
	forces := func(x word.Word) bool {
		text := x.Text
		return x.IsOption() && (strings.HasPrefix(text, "--f") || strings.HasPrefix(text, "--mi") || strings.HasPrefix(text, "--del") || strings.HasPrefix(text, "--pru") ||
			!strings.HasPrefix(text, "--") && strings.ContainsAny(text, "fd")) || strings.HasPrefix(text, "+") || strings.HasPrefix(text, ":")
	}
	if !slices.ContainsFunc(words[sub:], forces) {
		return nil
	}
	var out []Form
	for _, said := range []string{"--force", "-f", "--force-with-lease", "--mirror", "--delete", "-d"} {
		out = append(out, Form{words[0], append([]word.Word{words[sub], word.Of(said)}, words[sub+1:]...)})
	}
	return out
}
