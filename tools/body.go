package tools

import "bytes"

// A body is what is known of a text from where the bodies of tokens of one shape start.
// The bodies of many beginnings of tokens that never become one overlap.
type body struct {
	chars   stretch // that may be in it
	without [digit + 1]stretch
	noPart  stretch // where no second part of a web token starts
}

// body returns what is known of the bodies of a shape. It is asked for one place
// after the other.
func (r *reading) body(s *tokenShape, start int) *body {
	known := r.bodies[s]
	if known == nil {
		if r.bodies == nil {
			r.bodies = map[*tokenShape]*body{}
		}
		known = new(body)
		r.bodies[s] = known
	}
	return known
}

// isMixed reports whether there are letters of both cases, and a digit.
func (b *body) isMixed(text []byte, start, end int) bool {
	for kind := upperCase; kind <= digit; kind++ {
		if b.without[kind].end(text, start, end, func(b []byte) bool { return kindOf(b[0]) != kind }) == end {
			return false
		}
	}
	return true
}

// isWebToken reports whether there is a second part that is a JSON object in
// base64.
func (b *body) isWebToken(text []byte, start, end int) bool {
	const part = ".eyJ"
	end -= len(part) - 1
	return start < end && b.noPart.end(text, start, end, func(b []byte) bool { return !bytes.HasPrefix(b, []byte(part)) }) < end
}

// A stretch is a part of a text that is all of one kind, as far as it was looked
// at.
type stretch struct{ from, to int }

// end is where what is of a kind ends that starts at a place, at most most.
func (s *stretch) end(text []byte, start, most int, is func([]byte) bool) int {
	if start < s.from || start > s.to {
		s.from, s.to = start, start
	}
	most = min(most, len(text))
	for s.to < most && is(text[s.to:]) {
		s.to++
	}
	return min(s.to, most)
}
