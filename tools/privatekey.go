package tools

import (
	"bytes"
	"strings"
)

// beginKey is the beginning of every key in PEM.
const beginKey = "-----BEGIN "

const (
	mostPrivateKey = 16 << 10 // bytes of a key in PEM
	mostKeyLabel   = 40       // bytes of a label such as RSA PRIVATE KEY-----
	leastKeyLine   = 40       // characters of base64 in the longest line
)

// privateKeyAt returns the length of the private key at the beginning of b, also if its
// lines are numbered or escaped, or if its end is missing. It returns 0 if there is none;
// more says that b is too short to know.
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

// keyEnd returns the length of a key that may have its last line at n.
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

// keyLength returns n if the longest line is long enough for a key, else 0.
func keyLength(n, longest int) int {
	if longest < leastKeyLine {
		return 0
	}
	return n
}
