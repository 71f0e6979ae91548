package tools

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
)

// Mask replaces secrets by ***. Nil masks nothing. It is safe for concurrent use.
//
// It protects against accidents, such as a key in an error message: a secret is found as it
// is, as JSON and URLs write it, and in base64 and hex without line breaks, wherever it is in
// the encoded text. Each longer line of a secret of several lines is a secret too. Values of
// less than six bytes are ignored: they would make any text unreadable, and protect nothing
// (the key of a local service may be "none"). So are parts of the words that results are
// written with, such as "succeeded", even if somebody declares one a secret. If two secrets
// overlap, the one that starts first is masked. The keys and tokens of well-known services
// are found by their shapes, whoever they belong to. A secret in any other form, such as
// backwards, is not found.
type Mask struct {
	secrets atomic.Pointer[secrets] // nil until somebody reads after a value was added

	adding sync.Mutex
	values []string // the secrets; guarded by adding
	added  int      // how many were added by Add; guarded by adding
}

// secrets are all that a mask looks for at a time.
type secrets struct {
	starts    [256]byteSet  // for each first byte of a spelling or a shape, the possible second bytes
	spellings [256][]string // by first byte, the longest first
	tokens    [256][]tokenShape
}

const (
	masked         = "***"
	shortestSecret = 6
	shortestLine   = 8 // of a secret of several lines
	shortestBase64 = 8 // fewer characters of base64 occur in innocent text
)

// NewMask returns a mask for these values, and for all that looks like a token.
func NewMask(values []string) *Mask {
	return &Mask{values: slices.Clone(values)}
}

// mostAdded is how many secrets can be added to a mask. Each makes masking slower.
const mostAdded = 1000

// Add adds a secret, which is masked from now on. It returns an error if there are too
// many. On a nil Mask it does nothing.
func (m *Mask) Add(value string) error {
	if m == nil || len(value) < shortestSecret {
		return nil
	}
	m.adding.Lock()
	defer m.adding.Unlock()
	switch {
	case slices.Contains(m.values, value):
		return nil
	case m.added == mostAdded:
		return fmt.Errorf("more than %s secrets appeared during the run", quantity.Thousands(mostAdded))
	}
	m.added++
	m.values = append(m.values, value)
	m.secrets.Store(nil) // whoever reads next makes them, once for all that came meanwhile
	return nil
}

// current returns all that the mask looks for now.
func (m *Mask) current() *secrets {
	if found := m.secrets.Load(); found != nil {
		return found
	}
	m.adding.Lock()
	defer m.adding.Unlock()
	if found := m.secrets.Load(); found != nil {
		return found
	}
	found := newSecrets(m.values)
	m.secrets.Store(found)
	return found
}

func newSecrets(values []string) *secrets {
	m := new(secrets)
	for _, text := range allSpellings(values) {
		m.starts[text[0]].add(text[1])
		m.spellings[text[0]] = append(m.spellings[text[0]], text)
	}
	for _, s := range tokenShapes {
		m.starts[s.prefix[0]].add(s.prefix[1])
		m.tokens[s.prefix[0]] = append(m.tokens[s.prefix[0]], s)
	}
	return m
}

// allSpellings returns the spellings of all secrets in the values, each once, the longest first.
func allSpellings(values []string) []string {
	var all []string
	for _, value := range values {
		for _, secret := range secretParts(value) {
			all = append(all, spellings(secret)...)
		}
	}
	all = slices.DeleteFunc(all, isOwn)
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(all)
}

// secretParts returns the texts in a value of which each is a secret.
func secretParts(value string) []string {
	var parts []string
	for _, s := range []string{value, strings.TrimSpace(value)} {
		if len(s) >= shortestSecret {
			parts = append(parts, s)
		}
	}
	if !strings.Contains(strings.TrimSpace(value), "\n") {
		return parts
	}
	for line := range strings.Lines(value) {
		if line = strings.TrimSpace(line); len(line) >= shortestLine {
			parts = append(parts, line)
		}
	}
	return parts
}

// String returns s with its secrets masked.
func (m *Mask) String(s string) string {
	if m == nil || s == "" {
		return s
	}
	found := m.current()
	text := []byte(s)
	first := found.first(text)
	if first == len(s) {
		return s
	}
	out, _ := found.hide(make([]byte, 0, len(s)), text, first, true)
	return string(out)
}

// first returns the index of the first secret, or the length of the text.
func (m *secrets) first(text []byte) int {
	for i := range text {
		if m.mayStart(text, i) {
			if n, _ := m.at(text[i:]); n > 0 {
				return i
			}
		}
	}
	return len(text)
}

// hide appends the text to dst, with its secrets masked. There are none before from. It
// returns as rest what may be the beginning of a secret, unless all says that no more text
// comes.
func (m *secrets) hide(dst, text []byte, from int, all bool) (out, rest []byte) {
	shown := 0
	for i := from; i < len(text); {
		if !m.mayStart(text, i) {
			i++
			continue
		}
		n, more := m.at(text[i:])
		switch {
		case more && !all:
			return append(dst, text[shown:i]...), text[i:]
		case n == 0:
			i++
		default:
			dst = append(append(dst, text[shown:i]...), masked...)
			i += n
			shown = i
		}
	}
	return append(dst, text[shown:]...), nil
}

// at returns the length of the longest secret at the beginning of a text, or 0. more says that
// the text is too short to know whether there is a longer one.
func (m *secrets) at(text []byte) (n int, more bool) {
	for _, s := range m.spellings[text[0]] {
		if len(text) < len(s) {
			more = more || strings.HasPrefix(s, string(text))
		} else if string(text[:len(s)]) == s {
			n = len(s)
			break
		}
	}
	for i := range m.tokens[text[0]] {
		length, short := m.tokens[text[0]][i].match(text)
		n, more = max(n, length), more || short
	}
	return n, more
}

// byteSet is a set of bytes.
type byteSet [4]uint64

func (s *byteSet) add(c byte) { s[c/64] |= 1 << (c % 64) }

// mayStart reports whether a secret may start at b[i]. It rules out most bytes of a text: to
// look at each more closely takes ten times as long.
func (m *secrets) mayStart(b []byte, i int) bool {
	set := &m.starts[b[i]]
	if i+1 == len(b) {
		return *set != byteSet{}
	}
	next := b[i+1]
	return set[next/64]>>(next%64)&1 != 0
}

// before returns the last index up to end at which b can be cut without cutting a secret.
// The end of b may be the beginning of one.
func (m *Mask) before(b []byte, end int) int {
	if m == nil || end >= len(b) {
		return end
	}
	secrets := m.current()
	for i := 0; i < end; {
		n := 1
		if secrets.mayStart(b, i) {
			found, more := secrets.at(b[i:])
			if n = max(n, found); more {
				n = len(b) - i
			}
		}
		if i+n > end {
			return i
		}
		i += n
	}
	return end
}
