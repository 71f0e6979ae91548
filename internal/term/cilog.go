package term

import (
	"os"
	"strings"
	"unicode/utf8"

	"github.com/a-seed-11b9befa/flow/internal/hidden"
)

// InCILog reports whether w may be the log of a CI job, in which the system reads commands. It may
// also be a pipe to another program.
func InCILog(w any, env func(name string) string) bool {
	file, ok := w.(*os.File)
	if ok {
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			return false
		}
	}
	return env("GITHUB_ACTIONS") != "" || env("TF_BUILD") != "" || env("TEAMCITY_VERSION") != ""
}

// Disarm breaks the commands of GitHub, Azure and TeamCity: a line that starts with "::", and "##"
// before a name in brackets.
func Disarm(text string) string { return disarm(text, func(r rune) string { return `\` + string(r) }) }

// disarm replaces the character with which such a command begins.
func disarm(text string, replace func(rune) string) string {
	if !strings.Contains(text, "::") && !strings.Contains(text, "##") {
		return text
	}
	var out strings.Builder
	start := true // of a line, but for what nobody sees
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == ':' && start && strings.HasPrefix(text[i:], "::") || r == '[' && afterHashes(text[:i]) {
			out.WriteString(replace(r))
		} else {
			out.WriteString(text[i : i+size])
		}
		start = endsLine(r) || start && (r == ' ' || hidden.Is(r))
		i += size
	}
	return out.String()
}

// endsLine reports whether a character ends a line for any reader.
func endsLine(r rune) bool { return strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", r) }

// afterHashes reports whether text ends in "##" and perhaps a name.
func afterHashes(text string) bool {
	name := strings.TrimRightFunc(text, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
	return strings.HasSuffix(name, "##")
}
