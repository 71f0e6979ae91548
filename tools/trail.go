package tools

import "math"

// trail records where in a text the first characters of a pattern were found.
type trail struct {
	offsets []int // a suffix of all: the indexes that still count
	all     []int
	passed  int // how many characters of the pattern are before those at offsets
	end     int // after the last offset
	short   int // from where on the text was too short to know, or 0
}

// trail returns the trail of a pattern, or nil if there is none yet.
func (r *reading) trail(p *pattern) *trail {
	if r.trails == nil {
		return nil
	}
	return r.trails[p.number]
}

// newTrail begins the trail of a pattern at an offset where its first character may be.
func (r *reading) newTrail(p *pattern, i int) *trail {
	if r.trails == nil {
		r.trails = make([]*trail, r.secrets.patterns)
	}
	t := r.trails[p.number]
	if t == nil {
		t = new(trail)
		r.trails[p.number] = t
	}
	*t = trail{offsets: t.all[:0], all: t.all[:0], end: i}
	return t
}

// leave drops the offsets before an index.
func (t *trail) leave(i int) {
	for len(t.offsets) > 0 && t.offsets[0] < i {
		t.offsets = t.offsets[1:]
		t.passed++
	}
	if t.short <= i {
		t.short = 0
	}
}

// leadsTo reports whether an index is the trail's first offset.
func (t *trail) leadsTo(i int) bool { return len(t.offsets) > 0 && t.offsets[0] == i }

// follow is [pattern.match] from the trail's first offset on. It looks at each character of
// the text only once, except those in breaks.
func (t *trail) follow(p *pattern, text []byte) (n int, more bool) {
	if same := int(p.again[t.passed]); same < len(t.offsets) {
		return 0, t.offsets[same] >= t.shortFrom()
	}
	t.passed = 0
	for k := len(t.offsets); k < len(p.text); k++ {
		at, short := t.end, false
		if k > 0 {
			at, short = p.breaks.after(text, t.end)
		}
		if short && t.short == 0 {
			t.short = t.end
		}
		if at == len(text) {
			return 0, true
		}
		if text[at] != p.text[k] {
			return 0, t.short > 0
		}
		t.add(at)
	}
	return t.end - t.offsets[0], t.short > 0
}

// add adds a offset. It reuses the memory of offsets that were dropped.
func (t *trail) add(offset int) {
	if len(t.all) == cap(t.all) && len(t.offsets) < len(t.all)/2 {
		t.all = t.all[:copy(t.all, t.offsets)]
		t.offsets = t.all
	}
	left := len(t.all) - len(t.offsets)
	t.all = append(t.all, offset)
	t.offsets, t.end = t.all[left:], offset+1
}

func (t *trail) shortFrom() int {
	if t.short == 0 {
		return math.MaxInt
	}
	return t.short
}
