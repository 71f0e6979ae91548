package tools

import (
	"bytes"
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
	{prefix: webToken, chars: "_-.", least: 60},               // a JSON web token, RFC 7519
	{prefix: beginKey, least: 0},                              // RFC 7468
}

// decides is how much of a body says whether it is a token: of random characters the first have all kinds.
const decides = 64

// match returns the length of the token at the beginning of a text, or 0. more says that the text is too
// short to know where the token ends.
func (s *tokenShape) match(text []byte) (n int, more bool) {
	if len(text) < len(s.prefix) {
		return 0, strings.HasPrefix(s.prefix, string(text))
	}
	if string(text[:len(s.prefix)]) != s.prefix {
		return 0, false
	}
	if s.prefix == beginKey {
		return privateKeyAt(text)
	}
	body := text[len(s.prefix):]
	most := cmp.Or(s.most, mostToken)
	needed := max(s.least, decides)
	if s.prefix == webToken {
		needed = maxHeader
		if len(body) >= needed && !bytes.Contains(body[:needed], secondPart) {
			return 0, false
		}
	}
	known := s.bodyEnd(body, min(needed, most))
	more = known == len(body) && known < most
	if known < s.least || s.mixed && !isMixed(body[:known]) || s.prefix == webToken && !bytes.Contains(body[:known], secondPart) {
		return 0, more
	}
	end := s.bodyEnd(body, most)
	return len(s.prefix) + end, end == len(body) && end < most
}

// webToken begins each JSON web token, whose second part is a JSON object in base64, too, and begins after a
// short first one.
const (
	webToken  = "eyJ"
	maxHeader = 512
)

var secondPart = []byte(".eyJ")

// bodyEnd returns how many characters at the beginning of a text the body may have, up to most.
func (s *tokenShape) bodyEnd(text []byte, most int) int {
	for i, c := range text[:min(len(text), most)] {
		if kindOf(c) == 0 && strings.IndexByte(s.chars, c) < 0 {
			return i
		}
	}
	return min(len(text), most)
}

// isMixed reports whether a text has letters of both cases, and a digit.
func isMixed(text []byte) bool {
	var has [digit + 1]bool
	for _, c := range text {
		has[kindOf(c)] = true
	}
	return has[upperCase] && has[lowerCase] && has[digit]
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
