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
// **/ also no segment at all. What [Escape] returned matches itself. No wildcard matches what
// [MarkDotted] marks.
func Path(pattern string) *regexp.Regexp { return whole(PathExpression(pattern)) }

func whole(expression string) *regexp.Regexp {
	return Expression("(?s)^(?:" + expression + ")$")
}

// These stand for characters that match themselves and are no wildcards, and mark a
// segment that starts with a dot. They are control characters, which [StrangeRune] finds in anything that
// is written.
const (
	literalStar     = "\x0e"
	literalQuestion = "\x0f"
	mark            = "\x10"
)

// segments are the ** that may stand for no segment at all.
var segments = regexp.MustCompile(`(^|/)\\\*\\\*/`)

var wildcards = strings.NewReplacer(
	`\*\*`, "[^"+mark+"]*", `\*`, "[^/"+mark+"]*", `\?`, "[^/"+mark+"]", literalStar, `\*`, literalQuestion, `\?`, "\x00", "(?:[^"+mark+"]*/)?")

// PathExpression is [Path] as the text of a regular expression.
func PathExpression(pattern string) string {
	text := regexp.QuoteMeta(pattern)
	for segments.MatchString(text) { // of a/**/**/b each
		text = segments.ReplaceAllString(text, "$1\x00")
	}
	return wildcards.Replace(text)
}

// MarkDottedPath is [MarkDotted] for a path.
func MarkDottedPath(path string) string { return Unescape(MarkDotted(Escape(path))) }

// MarkDotted marks all characters of segments that start with a dot in a pattern.
func MarkDotted(text string) string {
	if !strings.Contains("/"+text, "/.") {
		return text
	}
	return dotted.ReplaceAllStringFunc(text, func(segment string) string {
		slash, name, _ := strings.Cut(segment, ".")
		return slash + strings.ReplaceAll("."+name, "", mark)
	})
}

var dotted = regexp.MustCompile(`(^|/)\.[^/*?]*`)

var (
	escaper   = strings.NewReplacer("*", literalStar, "?", literalQuestion)
	unescaper = strings.NewReplacer(literalStar, "*", literalQuestion, "?")
)

// Escape returns text as the part of a pattern over paths that matches this text alone.
func Escape(text string) string { return escaper.Replace(text) }

// Unescape returns the text that a pattern over paths without wildcards matches.
func Unescape(pattern string) string { return unescaper.Replace(pattern) }
