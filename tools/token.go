package tools

import (
	"bytes"
	"strings"
)

// A tokenShape is how the keys and tokens of a service look: a prefix that they
// have in common, and a body that is random.
type tokenShape struct {
	prefix string
	chars  string // of the body: letters and digits, and these
	least  int    // characters of the body
	most   int    // 0: mostToken
	mixed  bool   // the body has letters of both cases, and a digit
}

// mostToken bounds a token, so that not more than that is held back of a text.
const mostToken = 1024

// tokenShapes are those that services document, or that their scanners for leaked
// secrets look for. A prefix that words may have, too, takes a body that is mixed.
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
	{prefix: "sk-", least: 40, mixed: true},                   // OpenAI, and who speaks its language
	{prefix: "sk_live_", least: 24},                           // Stripe
	{prefix: "rk_live_", least: 24},                           // Stripe, with few rights
	{prefix: "xoxb-", chars: "-", least: 24},                  // Slack: a bot's
	{prefix: "xoxp-", chars: "-", least: 24},                  // a person's
	{prefix: "eyJ", chars: "_-.", least: 60},                  // a JSON web token, RFC 7519
	{prefix: beginKey, least: 0},                              // RFC 7468
}

// beginKey is how all keys begin that are kept as PEM.
const beginKey = "-----BEGIN "

// match returns the length of the token that b begins with, 0 for none. More
// reports that b is too short to tell where it ends.
func (s *tokenShape) match(b []byte) (n int, more bool) {
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
	most := s.most
	if most == 0 {
		most = mostToken
	}
	body, kinds := s.body(b[len(s.prefix):], most)
	more = len(s.prefix)+body == len(b) && body < most
	if body < s.least || s.mixed && kinds != upperCase|lowerCase|digit || s.prefix == "eyJ" && !isWebToken(b[:len(s.prefix)+body]) {
		return 0, more
	}
	return len(s.prefix) + body, more
}

// A charKind is a set of kinds of characters.
type charKind uint8

const (
	upperCase charKind = 1 << iota
	lowerCase
	digit
)

// body returns how many characters b begins with that may be in the body, and what
// kinds of them there are.
func (s *tokenShape) body(b []byte, most int) (n int, kinds charKind) {
	for ; n < min(len(b), most); n++ {
		kind := kindOf(b[n])
		if kind == 0 && strings.IndexByte(s.chars, b[n]) < 0 {
			break
		}
		kinds |= kind
	}
	return n, kinds
}

// kindOf is 0 for what is neither a letter nor a digit.
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

// isWebToken reports whether a text has two parts that are JSON objects in base64.
func isWebToken(b []byte) bool { return bytes.Contains(b, []byte(".eyJ")) }

const (
	mostPrivateKey = 16 << 10 // bytes of it in PEM
	mostKeyLabel   = 40       // RSA PRIVATE KEY-----
	leastKeyLine   = 40       // characters of base64 in one line, at least once
)

// privateKeyAt returns the length of the private key that b begins with, up to the
// last line of its base64, also where lines are numbered or escaped.
func privateKeyAt(b []byte) (n int, more bool) {
	label := string(b[len(beginKey):min(len(b), len(beginKey)+mostKeyLabel)])
	kind, _, closed := strings.Cut(label, "-----")
	if !closed {
		return 0, len(label) < mostKeyLabel
	}
	if !strings.HasSuffix(kind, "PRIVATE KEY") {
		return 0, false
	}
	n = len(beginKey) + len(kind) + len("-----")
	longest, line := 0, 0
	for ; n < min(len(b), mostPrivateKey); n++ {
		switch c := b[n]; {
		case kindOf(c) != 0 || c == '+' || c == '/':
			line++
			longest = max(longest, line)
		case c == '-':
			return keyEnd(b, n, longest)
		case strings.IndexByte("=\\\r\n\t |:,", c) < 0:
			return keyLength(n, longest), false
		default:
			line = 0
		}
	}
	return keyLength(n, longest), n < mostPrivateKey
}

// keyEnd is for a key of which a line that ends it may stand at n.
func keyEnd(b []byte, n, longest int) (int, bool) {
	const endKey = "-----END "
	last := b[n:min(len(b), n+len(endKey)+mostKeyLabel)]
	more := len(last) < len(endKey)+mostKeyLabel
	if len(last) >= len(endKey) && string(last[:len(endKey)]) == endKey {
		if i := bytes.Index(last[len(endKey):], []byte("-----")); i >= 0 {
			return keyLength(n+len(endKey)+i+len("-----"), longest), false
		}
	}
	return keyLength(n, longest), more
}

// keyLength is n where a line was long enough.
func keyLength(n, longest int) int {
	if longest < leastKeyLine {
		return 0
	}
	return n
}
