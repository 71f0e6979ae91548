package program

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// SameForms returns a command as it may be said otherwise. What stands before a
// subcommand, options and their values, stays there.
func SameForms(key string, words []word.Word) (out []Form) {
	if key == "git" {
		return forcedPush(words)
	}
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
		if i > 0 && !words[i].IsOption() {
			break // the subcommand was further to the left
		}
	}
	return out
}

// isSaid reports whether words begin with those of a text.
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

// forcedPush returns a push that overwrites or takes away what is there, however
// it says so, as one with --force.
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
