package tools

import "math"

// A trail is where in a text the characters of a pattern stand that have been
// found one after the other.
type trail struct {
	places []int // the rest of all
	all    []int // with those that were left
	passed int   // characters of the pattern before those at the places
	end    int   // behind the last place
	short  int   // from where on the text was too short to tell; 0 for nowhere
}

// trail is the one of a pattern, nil where there is none yet.
func (r *reading) trail(p *pattern) *trail {
	if r.trails == nil {
		return nil
	}
	return r.trails[p.number]
}

// newTrail begins a pattern's trail, at a place that may be that of its first
// character.
func (r *reading) newTrail(p *pattern, i int) *trail {
	if r.trails == nil {
		r.trails = make([]*trail, r.secrets.patterns)
	}
	t := r.trails[p.number]
	if t == nil {
		t = new(trail)
		r.trails[p.number] = t
	}
	*t = trail{places: t.all[:0], all: t.all[:0], end: i}
	return t
}

// leave forgets what is before a place.
func (t *trail) leave(i int) {
	for len(t.places) > 0 && t.places[0] < i {
		t.places = t.places[1:]
		t.passed++
	}
	if t.short <= i {
		t.short = 0
	}
}

// leadsTo reports whether a place is the trail's first.
func (t *trail) leadsTo(i int) bool { return len(t.places) > 0 && t.places[0] == i }

// follow matches a pattern from the trail's first place on, as [pattern.match] does.
// Each character of the text is looked at once, but for those in breaks.
func (t *trail) follow(p *pattern, text []byte) (n int, more bool) {
	if same := int(p.again[t.passed]); same < len(t.places) {
		return 0, t.places[same] >= t.shortFrom()
	}
	t.passed = 0
	for k := len(t.places); k < len(p.text); k++ {
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
	return t.end - t.places[0], t.short > 0
}

// add goes on to a place. The room of places that were left is used again.
func (t *trail) add(place int) {
	if len(t.all) == cap(t.all) && len(t.places) < len(t.all)/2 {
		t.all = t.all[:copy(t.all, t.places)]
		t.places = t.all
	}
	left := len(t.all) - len(t.places)
	t.all = append(t.all, place)
	t.places, t.end = t.all[left:], place+1
}

func (t *trail) shortFrom() int {
	if t.short == 0 {
		return math.MaxInt
	}
	return t.short
}
