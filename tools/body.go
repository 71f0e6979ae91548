package tools

import "bytes"

// body caches what is known of the text after the prefix of a token's shape. The text may
// hold many prefixes close to each other, so that what follows them overlaps.
type body struct {
	chars   stretch            // of characters that the body may have
	without [digit + 1]stretch // of characters that are not of a kind
	noPart  stretch            // in which no second part of a web token starts
}

// body returns the cache for a shape. Callers have to ask for ascending offsets.
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

// isMixed reports whether a body has letters of both cases, and a digit.
func (b *body) isMixed(text []byte, start, end int) bool {
	for kind := upperCase; kind <= digit; kind++ {
		if b.without[kind].end(text, start, end, func(b []byte) bool { return kindOf(b[0]) != kind }) == end {
			return false
		}
	}
	return true
}

// isWebToken reports whether a body has a second part that is a JSON object in base64.
func (b *body) isWebToken(text []byte, start, end int) bool {
	const part = ".eyJ"
	end -= len(part) - 1
	return start < end && b.noPart.end(text, start, end, func(b []byte) bool { return !bytes.HasPrefix(b, []byte(part)) }) < end
}

// stretch is a part of a text of which every offset is of one kind. It grows as the text is
// looked at.
type stretch struct{ from, to int }

// end returns the end of the stretch from start on, or most if that comes first. is reports
// whether a text begins with the kind.
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
