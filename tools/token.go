package tools

import (
	"cmp"
	"strings"
)

// tokenShape is the shape of a service's keys or tokens: a common prefix, and a random body.
type tokenShape struct {
	prefix string
	chars  string // that the body may have beside letters and digits
	least  int    // characters of the body
	most   int    // characters of the body; 0 is mostToken
	mixed  bool   // the body has letters of both cases, and a digit
}

// mostToken is the length of the longest token, and so of the text that is held back.
const mostToken = 1024

// tokenShapes are the shapes that services document, or that their scanners for leaked
// secrets look for. A prefix that also begins ordinary words needs a mixed body.
var tokenShapes = []tokenShape{
	{prefix: "AKIA", least: 16, most: 16},                     // AWS
	{prefix: "ASIA", least: 16, most: 16},                     // AWS, for a session
	{prefix: "AIza", chars: "_-", least: 35, most: 35},        // Google
	{prefix: "ghp_", least: 36},                               // GitHub: a person's
	{prefix: "gho_", least: 36},                               // an app's for a person
	{prefix: "ghu_", least: 36},                               // an app's user
	{prefix: "ghs_", least: 36},                               // a server's, and those of jobs
	{prefix: "ghr_", least: 36},                               // one to refresh others
	{prefix: "github_pat_", chars: "_", least: 36},            // a person's, with few rights
	{prefix: "glpat-", chars: "_-", least: 20, mixed: true},   // GitLab
	{prefix: "hf_", least: 30, mixed: false, most: 64},        // Hugging Face
	{prefix: "npm_", least: 36},                               // npm
	{prefix: "pypi-AgEI", chars: "_-", least: 40},             // PyPI
	{prefix: "sk-ant-", chars: "_-", least: 32, mixed: true},  // Anthropic
	{prefix: "sk-or-v1-", least: 40},                          // OpenRouter
	{prefix: "sk-proj-", chars: "_-", least: 32, mixed: true}, // OpenAI, of a project
	{prefix: "sk-", least: 40, mixed: true},                   // OpenAI, and compatible services
	{prefix: "sk_live_", least: 24},                           // Stripe
	{prefix: "rk_live_", least: 24},                           // Stripe, with few rights
	{prefix: "xoxb-", chars: "-", least: 24},                  // Slack: a bot's
	{prefix: "xoxp-", chars: "-", least: 24},                  // a person's
	{prefix: "eyJ", chars: "_-.", least: 60},                  // a JSON web token, RFC 7519
	{prefix: beginKey, least: 0},                              // RFC 7468
}

// match returns the length of the token at an index of a text, or 0. more says that the text
// is too short to know where the token ends.
func (s *tokenShape) match(r *reading, i int) (n int, more bool) {
	b := r.text[i:]
	if len(b) > 1 && b[1] != s.prefix[1] {
		return 0, false
	}
	if len(b) < len(s.prefix) {
		return 0, strings.HasPrefix(s.prefix, string(b))
	}
	if string(b[:len(s.prefix)]) != s.prefix {
		return 0, false
	}
	if s.prefix == beginKey {
		return privateKeyAt(b)
	}
	start := i + len(s.prefix)
	most := start + cmp.Or(s.most, mostToken)
	known := r.body(s, start)
	end := known.chars.end(r.text, start, most, s.mayHold)
	more = end == len(r.text) && end < most
	if end-start < s.least || s.mixed && !known.isMixed(r.text, start, end) || s.prefix == "eyJ" && !known.isWebToken(r.text, start, end) {
		return 0, more
	}
	return end - i, more
}

// mayHold reports whether the body may have the first character of b.
func (s *tokenShape) mayHold(b []byte) bool {
	return kindOf(b[0]) != 0 || strings.IndexByte(s.chars, b[0]) >= 0
}

// charKind is a kind of characters in a mixed body.
type charKind uint8

const (
	upperCase charKind = 1 + iota
	lowerCase
	digit
)

// kindOf returns the kind of a character, or 0 if it is neither a letter nor a digit.
func kindOf(c byte) charKind {
	switch {
	case c >= 'A' && c <= 'Z':
		return upperCase
	case c >= 'a' && c <= 'z':
		return lowerCase
	case c >= '0' && c <= '9':
		return digit
	}
	return 0
}
