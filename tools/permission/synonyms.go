package permission

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

// sameForms returns a command as it may be said otherwise. What stands before a
// subcommand, options and their values, stays there.
func sameForms(key string, words []word) (out []form) {
	if key == "git" {
		return forcedPush(words)
	}
	for i, x := range words[1:] {
		if x.kind != static || x.isOption() {
			continue
		}
		for _, group := range named(key).synonyms {
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
		if i > 0 && !words[i].isOption() {
			break // the subcommand was further to the left
		}
	}
	return out
}

// isSaid reports whether words begin with those of a text.
func isSaid(words []word, text string) bool {
	said := strings.Fields(text)
	return len(said) <= len(words) && slices.EqualFunc(words[:len(said)], said, func(w word, text string) bool { return w.kind == static && pattern.Fold(w.text) == text })
}

func replaced(words []word, at, length int, by string) form {
	out := slices.Clone(words[1:at])
	for _, text := range strings.Fields(by) {
		out = append(out, staticWord(text))
	}
	return form{words[0], append(out, words[at+length:]...)}
}

// forcedPush returns a push that overwrites or takes away what is there, however
// it says so, as one with --force.
func forcedPush(words []word) []form {
	sub, known := gitSubcommand(words)
	if !known || sub == len(words) || !words[sub].is("push") {
		return nil
	}
	forces := func(x word) bool {
		text := x.text
		return x.isOption() && (strings.HasPrefix(text, "--f") || strings.HasPrefix(text, "--mi") || strings.HasPrefix(text, "--del") || strings.HasPrefix(text, "--pru") ||
			!strings.HasPrefix(text, "--") && strings.ContainsAny(text, "fd")) || strings.HasPrefix(text, "+") || strings.HasPrefix(text, ":")
	}
	if !slices.ContainsFunc(words[sub:], forces) {
		return nil
	}
	var out []form
	for _, said := range []string{"--force", "-f", "--force-with-lease", "--mirror", "--delete", "-d"} {
		out = append(out, form{words[0], append([]word{words[sub], staticWord(said)}, words[sub+1:]...)})
	}
	return out
}
