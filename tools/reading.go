package tools

// A reading is one way through a text in search of secrets, from its beginning to
// its end. It keeps what beginnings of secrets have in common that stand close
// to each other, so that no text is so made that it is compared over and over.
type reading struct {
	secrets *secrets
	text    []byte
	as      func([]byte) string   // what stands in the place of one; nil: ***
	trails  []*trail              // of the patterns, by number, that a longer part was found of
	bodies  map[*tokenShape]*body // of those with a longer body
}

func (m *Mask) reads(text []byte) *reading {
	return &reading{secrets: m.secrets.Load(), text: text}
}

// first is where the first secret starts, the text's length where there is none.
func (r *reading) first() int {
	m, b := r.secrets, r.text // in registers: most of a text passes here alone
	for i := range b {
		if m.mayStart(b, i) {
			if n, _ := r.at(i); n > 0 {
				return i
			}
		}
	}
	return len(b)
}

// hide appends the text with its secrets masked to dst; before the place from there
// is none. What may be the beginning of one is returned as the rest, unless the
// text is all there is.
func (r *reading) hide(dst []byte, from int, all bool) (out, rest []byte) {
	shown := 0
	for i := from; i < len(r.text); {
		if !r.secrets.mayStart(r.text, i) {
			i++
			continue
		}
		n, more := r.at(i)
		switch {
		case more && !all:
			return append(dst, r.text[shown:i]...), r.text[i:]
		case n == 0:
			i++
		default:
			dst = append(dst, r.text[shown:i]...)
			if r.as == nil {
				dst = append(dst, masked...)
			} else {
				dst = append(dst, r.as(r.text[i:i+n])...)
			}
			i += n
			shown = i
		}
	}
	return append(dst, r.text[shown:]...), nil
}

// at returns the length of the longest secret that starts at a place, 0 for none.
// More reports that the text is too short to tell whether a longer one is there.
// It is asked for one place after the other.
func (r *reading) at(i int) (n int, more bool) {
	first := r.text[i]
	for k := range r.secrets.spellings[first] {
		length, short := r.secrets.spellings[first][k].match(r, i)
		n, more = max(n, length), more || short
		if length > 0 {
			break
		}
	}
	for k := range r.secrets.tokens[first] {
		length, short := r.secrets.tokens[first][k].match(r, i)
		n, more = max(n, length), more || short
	}
	return n, more
}
