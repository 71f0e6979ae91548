package tools

// pattern is a spelling to look for.
type pattern struct {
	spelling
	number int // among the patterns of the mask
	// again is the Z function of a longer text: for each index, how many characters from
	// there on equal the beginning of the text. So a partial match shows where the next
	// one can begin.
	again []int32
}

// shortPattern is how much of a pattern is compared at each offset without a trail.
const shortPattern = 16

func newPattern(s spelling, number int) pattern {
	p := pattern{spelling: s, number: number}
	if len(s.text) > shortPattern {
		p.again = repeats(s.text)
	}
	return p
}

// repeats returns the Z function of a text.
func repeats(text string) []int32 {
	z := make([]int32, len(text))
	z[0] = int32(len(text))
	from, to := 0, 0 // the offset with the farthest end so far, and its end
	for i := 1; i < len(text); i++ {
		n := 0
		if i < to {
			n = min(to-i, int(z[i-from]))
		}
		for i+n < len(text) && text[n] == text[i+n] {
			n++
		}
		if z[i] = int32(n); i+n > to {
			from, to = i, i+n
		}
	}
	return z
}

// match returns the length of the pattern at a offset of a text, with breaks, or 0 if it is
// not there. more says that the text is too short to know.
func (p *pattern) match(r *reading, i int) (n int, more bool) {
	if i+1 < len(r.text) && r.text[i+1] != p.text[1] && !p.breaks.mayStart(r.text[i+1]) {
		return 0, false // as nearly everywhere
	}
	if p.again == nil {
		return p.compare(r.text, i, len(p.text))
	}
	if t := r.trail(p); t != nil {
		if t.leave(i); t.leadsTo(i) {
			return t.follow(p, r.text)
		}
	}
	if n, more := p.compare(r.text, i, shortPattern); n == 0 {
		return 0, more
	}
	return r.newTrail(p, i).follow(p, r.text)
}

// compare is match for the first characters of the pattern.
func (p *pattern) compare(text []byte, i, most int) (n int, more bool) {
	at := i
	for k := range most {
		if k > 0 {
			next, short := p.breaks.after(text, at)
			at, more = next, more || short
		}
		if at == len(text) {
			return 0, true
		}
		if text[at] != p.text[k] {
			return 0, more
		}
		at++
	}
	return at - i, more
}
