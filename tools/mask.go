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

// A Mask replaces secrets by ***. Nil masks nothing. It is safe for concurrent
// use.
//
// A secret is found as it is, as JSON, URLs and shells spell it, and in base64
// and hex, wherever it stands in what was encoded and wherever lines were broken
// in it. Each longer line of a secret of several lines is a secret too. Values of
// less than six bytes are ignored: they would make any text unreadable, and tell
// nothing (a local service's key may be "none"). So are parts of the words that
// results are written with, such as "succeeded": they are no secrets, whoever says
// so. Where two secrets overlap, the one that starts first is masked. Keys and
// tokens that services hand out are known by their shapes, whoever they belong to.
// What is spelled in another way, backwards say, is not found.
type Mask struct {
	secrets atomic.Pointer[secrets]

	adding sync.Mutex
	values []string // of the secrets; held by adding
	added  int      // how many of them came later
}

// Secrets are all that a mask looks for, at one time.
type secrets struct {
	starts    [256]byteSet   // the second bytes of the spellings and shapes that start with that byte
	spellings [256][]pattern // by their first byte, the longest first
	patterns  int            // how many there are
	tokens    [256][]tokenShape
}

const (
	masked         = "***"
	shortestSecret = 6
	shortestLine   = 8 // of a secret of several lines
	shortestBase64 = 8 // fewer characters of base64 stand in innocent text, too
)

// NewMask returns a mask of these values, and of all that looks like a token.
func NewMask(values []string) *Mask {
	m := &Mask{values: slices.Clone(values)}
	m.secrets.Store(newSecrets(values))
	return m
}

// mostAdded bounds the secrets that are added to a mask: each takes its time with
// every text that comes after it.
const mostAdded = 1000

// Add has the mask hide one more value, in all that it is given from now on. A nil
// Mask takes it for nothing. An error says that there are too many.
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
		return fmt.Errorf("more than %s secrets came up while the run went on", quantity.Thousands(mostAdded))
	}
	m.added++
	m.values = append(m.values, value)
	m.secrets.Store(newSecrets(m.values))
	return nil
}

func newSecrets(values []string) *secrets {
	m := new(secrets)
	for s := range allSpellings(values) {
		if isOwn(s.text) {
			continue
		}
		for _, second := range []byte(s.breaks.starts() + s.text[1:2]) {
			m.starts[s.text[0]].add(second)
		}
		m.spellings[s.text[0]] = append(m.spellings[s.text[0]], newPattern(s, m.patterns))
		m.patterns++
	}
	for _, list := range m.spellings {
		slices.SortFunc(list, func(a, b pattern) int { return cmp.Or(len(b.text)-len(a.text), int(a.breaks)-int(b.breaks)) })
	}
	for _, s := range tokenShapes {
		m.starts[s.prefix[0]].add(s.prefix[1])
		m.tokens[s.prefix[0]] = append(m.tokens[s.prefix[0]], s)
	}
	return m
}

// allSpellings returns the spellings of all that is secret in the values.
func allSpellings(values []string) map[spelling]bool {
	all := make(map[spelling]bool)
	for _, value := range values {
		for _, secret := range secretParts(value) {
			for _, s := range spellings(secret) {
				all[s] = true
			}
		}
	}
	return all
}

// secretParts returns the texts of a value that are secret each for itself.
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
func (m *Mask) String(s string) string { return m.stringWith(s, nil) }

func (m *Mask) stringWith(s string, as func(found []byte) string) string {
	if m == nil || s == "" {
		return s
	}
	r := m.reads([]byte(s))
	r.as = as
	first := r.first()
	if first == len(s) {
		return s
	}
	out, _ := r.hide(make([]byte, 0, len(s)), first, true)
	return string(out)
}

// A byteSet is a set of bytes.
type byteSet [4]uint64

func (s *byteSet) add(c byte) { s[c/64] |= 1 << (c % 64) }

// mayStart reports whether a secret may start at b[i]. Most bytes of a text are
// passed over by it: to look closer at each of them takes ten times as long.
func (m *secrets) mayStart(b []byte, i int) bool {
	set := &m.starts[b[i]]
	if i+1 == len(b) {
		return *set != byteSet{}
	}
	next := b[i+1]
	return set[next/64]>>(next%64)&1 != 0
}

// before returns end, or where the secret starts that stands across it: no part
// of a secret is left when b is cut there. What may go on behind b counts, too.
func (m *Mask) before(b []byte, end int) int {
	if m == nil || end >= len(b) {
		return end
	}
	r := m.reads(b)
	for i := 0; i < end; {
		n := 1
		if r.secrets.mayStart(b, i) {
			found, more := r.at(i)
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
