package permission

import "strings"

// transferGuards guards the words of curl and wget that name files in the syntax
// of a URL, where a path can be written in many ways, and the part of curl's
// --write-out that writes a file.
func transferGuards(words []word) (out []guard) {
	for i, w := range words[1:] {
		text := strings.ToLower(w.text)
		for _, mark := range []string{"file:", "%output{"} {
			if strings.Contains(text, mark) {
				out = append(out, guard{i + 1, []string{mark}, "a word with " + mark + " is guarded"})
			}
		}
	}
	return out
}
