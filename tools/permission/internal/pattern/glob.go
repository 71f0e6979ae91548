// Package pattern compiles the patterns of rules to regular expressions, and knows which
// characters no reader sees. It does not look at files.
package pattern

import (
	"regexp"
	"strings"
)

// Text compiles a pattern in which * is any run of characters and ? one.
func Text(pattern string) *regexp.Regexp {
	return whole(strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(pattern)))
}

// Path compiles a pattern over paths: * and ? match within a segment, ** any characters, and
// **/ also no segment at all. What [Escape] returned matches itself.
func Path(pattern string) *regexp.Regexp { return whole(PathExpression(pattern)) }

// PathExpression is [Path] as the text of a regular expression.
func PathExpression(pattern string) string { return pathExpression(pattern, false) }

// ShownPath is [Path] with wildcards that match nothing in segments that start with a dot.
func ShownPath(pattern string) *regexp.Regexp { return whole(pathExpression(pattern, true)) }

func whole(expression string) *regexp.Regexp {
	return regexp.MustCompile("(?s)^(?:" + expression + ")$")
}

// What wildcards are in a path, at the start of a segment and later in it.
const (
	name, nameStart           = "[^/]*", "(?:[^/.][^/]*)?"
	character, characterStart = "[^/]", "[^/.]"
	all, allSegments          = ".*", "(?:.*/)?"
	shown                     = "(?:/(?:[^/.][^/]*)?)*" // further segments
	shownSegments             = "(?:[^/.][^/]*/)*"
)

func pathExpression(text string, onlyShown bool) string {
	var out strings.Builder
	start, dotted := true, false // whether this is the start of a segment, and whether that begins with a dot
	for i := 0; i < len(text); {
		rest := text[i:]
		switch {
		case start && strings.HasPrefix(rest, "**/"):
			out.WriteString(pick(onlyShown, shownSegments, allSegments))
			i += len("**/")
			continue
		case strings.HasPrefix(rest, "**"):
			out.WriteString(pick(onlyShown, pick(start, nameStart, pick(dotted, "", name))+shown, all))
			i++
		case rest[0] == '*':
			out.WriteString(pick(onlyShown, pick(start, nameStart, pick(dotted, "", name)), name))
		case rest[0] == '?':
			out.WriteString(pick(onlyShown, pick(start, characterStart, pick(dotted, "[^\\x00-\\x{10FFFF}]", character)), character))
		default:
			if start {
				dotted = rest[0] == '.'
			}
			out.WriteString(regexp.QuoteMeta(Unescape(rest[:1])))
		}
		start = rest[0] == '/'
		dotted = dotted && !start
		i++
	}
	return out.String()
}

func pick(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}
