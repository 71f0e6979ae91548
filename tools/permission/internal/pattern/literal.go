package pattern

import "strings"

// In a pattern over paths these stand for characters that match themselves and are no wildcards. They
// are control characters, which [StrangeRune] finds in anything that is written.
const (
	literalStar     = "\x0e"
	literalQuestion = "\x0f"
)

var (
	escaper   = strings.NewReplacer("*", literalStar, "?", literalQuestion)
	unescaper = strings.NewReplacer(literalStar, "*", literalQuestion, "?")
)

// Escape returns text as the part of a pattern over paths that matches this text alone.
func Escape(text string) string { return escaper.Replace(text) }

// Unescape returns the text that a pattern over paths without wildcards matches.
func Unescape(pattern string) string { return unescaper.Replace(pattern) }
