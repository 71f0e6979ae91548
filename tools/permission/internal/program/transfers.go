package program

import (
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// MaxMarks bounds how many parts of a word are tried as paths.
const MaxMarks = 64

// transferRisks finds the words of curl and wget that name files in the syntax
// of a URL, where a path can be written in many ways, and the part of curl's
// --write-out that writes a file.
func transferRisks(words []word.Word) (out []Risk) {
	for i, w := range words[1:] {
		text := strings.ToLower(w.Text)
		for _, mark := range []string{"file:", "%output{"} {
			if strings.Contains(text, mark) || mark == "file:" && mayBecomeFile(text) {
				out = append(out, Risk{At: i + 1, Names: []string{mark}, Why: "a word with " + mark + " is guarded"})
			}
		}
	}
	return out
}

// mayBecomeFile reports whether one of the addresses that curl makes of braces
// and brackets is that of a file.
func mayBecomeFile(text string) bool {
	const scheme = "file:"
	rests := []string{text}
	for _, want := range []byte(scheme) {
		var next []string
		for _, rest := range rests {
			next = append(next, afterCharacter(rest, want, 0)...)
		}
		if len(next) > MaxMarks {
			return true
		}
		rests = next
	}
	return len(rests) > 0
}

// afterCharacter returns what may follow a character where an address begins with
// it, or with a group of curl's that does.
func afterCharacter(text string, want byte, depth int) (out []string) {
	if text == "" || depth > MaxMarks {
		return nil
	}
	if text[0] == want {
		return []string{text[1:]}
	}
	closing := map[byte]string{'{': "}", '[': "]"}[text[0]]
	group, rest, ok := strings.Cut(text[1:], closing)
	switch {
	case closing == "" || !ok:
	case text[0] == '[':
		if len(group) >= 3 && group[1] == '-' && group[0] <= want && want <= group[2] {
			out = append(out, rest)
		}
	default:
		for choice := range strings.SplitSeq(group, ",") {
			out = append(out, afterCharacter(choice+rest, want, depth+1)...)
			if len(out) > MaxMarks {
				break
			}
		}
	}
	return out
}
