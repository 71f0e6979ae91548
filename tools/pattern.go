package tools

import (
	"bytes"
	"cmp"
	"iter"
	"regexp"
	"slices"
	"strings"
)

// A pattern is something that a mask looks for.
type pattern struct {
	text  string         // a spelling of a secret, or how a token begins
	needs string         // a text that a token has near its beginning
	shape *regexp.Regexp // of a token; nil for a spelling
}

// match returns the length of what the pattern finds at the beginning of a text, or 0.
func (p pattern) match(text string) int {
	if !strings.HasPrefix(text, p.text) {
		return 0
	}
	if p.shape == nil {
		return len(p.text)
	}
	if !strings.Contains(text[:min(len(text), maxHeader)], p.needs) {
		return 0
	}
	at := p.shape.FindStringIndex(text[:min(len(text), maxToken)])
	if at == nil {
		return 0
	}
	return at[1]
}

// patterns are all that a mask looks for at a time.
type patterns struct {
	starts  [1 << 16]bool         // the first two bytes of them
	byStart map[[2]byte][]pattern // the longest spellings first
	lines   []pattern             // those that may have line breaks in them
	longest int
}

func newPatterns(values []string) *patterns {
	p := &patterns{byStart: map[[2]byte][]pattern{}, longest: maxToken}
	for _, text := range allSpellings(values) {
		p.add(pattern{text: text})
		p.longest = max(p.longest, len(text))
	}
	for _, shape := range tokens() {
		p.add(shape)
	}
	return p
}

func (p *patterns) add(one pattern) {
	start := [2]byte{one.text[0], one.text[1]}
	p.starts[int(start[0])<<8|int(start[1])] = true
	p.byStart[start] = append(p.byStart[start], one)
	if one.text == beginKey || strings.Contains(one.text, "\n") {
		p.lines = append(p.lines, one)
	}
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

// secrets yields where the secrets in a text begin and end, of those that begin before until. Of several that
// begin at one place it is the longest, and what begins within another is passed over.
func (p *patterns) secrets(text string, until int) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		for i := 0; i < min(until, len(text)-1); i++ {
			if !p.starts[int(text[i])<<8|int(text[i+1])] {
				continue
			}
			longest := 0
			for _, one := range p.byStart[[2]byte{text[i], text[i+1]}] {
				longest = max(longest, one.match(text[i:]))
			}
			if longest > 0 {
				if !yield(i, i+longest) {
					return
				}
				i += longest - 1
			}
		}
	}
}

// replace returns a text with each secret replaced by with(secret), and other parts by plain(part);
// nil does not change them. It returns the text itself if there is no secret in it.
func (p *patterns) replace(text string, plain, with func(string) string) string {
	if plain == nil {
		plain = func(part string) string { return part }
	}
	var out strings.Builder
	shown := 0
	for start, end := range p.secrets(text, len(text)) {
		out.WriteString(plain(text[shown:start]))
		out.WriteString(with(text[start:end]))
		shown = end
	}
	if shown == 0 {
		return text
	}
	out.WriteString(plain(text[shown:]))
	return out.String()
}

// masked returns the beginning of a text up to end with its secrets masked. It stops before a secret that goes
// on behind end.
func (p *patterns) masked(text string, end int) (out string, stop int) {
	var all strings.Builder
	for start, behind := range p.secrets(text, end) {
		all.WriteString(text[stop:start])
		if stop = start; behind > end {
			return all.String(), stop
		}
		all.WriteString(masked)
		stop = behind
	}
	all.WriteString(text[stop:end])
	return all.String(), end
}

// has reports whether there is a secret in a text.
func (p *patterns) has(text string) bool {
	for range p.secrets(text, len(text)) {
		return true
	}
	return false
}

// before returns the last index up to end at which a text can be cut without cutting a secret.
func (p *patterns) before(text string, end int) int {
	for start, stop := range p.secrets(text, end) {
		if stop > end {
			return start
		}
	}
	return end
}

// end returns up to where a text can be masked, whatever follows it: whole lines, unless a secret of
// several lines may have begun in them. Of a line that is too long, it is what is far from its end.
func (p *patterns) end(text []byte) int {
	end := bytes.LastIndexByte(text, '\n') + 1
	if end == 0 {
		end = max(0, len(text)-p.longest)
	}
	for _, one := range p.lines {
		first, _, _ := strings.Cut(one.text, "\n")
		near := max(0, end-max(len(one.text), maxToken))
		if i := bytes.Index(text[near:end], []byte(first)); i >= 0 {
			end = near + i
		}
	}
	return end
}
