package tools

// reading is one search of a text for secrets, from the beginning to the end. It caches what
// it knows of the text, so that the search is linear even if the text is full of beginnings
// of secrets.
type reading struct {
	secrets *secrets
	text    []byte
	as      func([]byte) string           // returns the replacement of a secret; nil is ***
	plain   func(dst, text []byte) []byte // appends what is no secret; nil appends it as it is
	trails  []*trail                      // by the number of a pattern; nil if no longer part was found
	bodies  map[*tokenShape]*body         // nil if no prefix of a token was found
}

func (m *Mask) reads(text []byte) *reading {
	return &reading{secrets: m.current(), text: text}
}

// first returns the index of the first secret, or the length of the text.
func (r *reading) first() int {
	m, b := r.secrets, r.text // in registers: for most of a text nothing else runs
	for i := range b {
		if m.mayStart(b, i) {
			if n, _ := r.at(i); n > 0 {
				return i
			}
		}
	}
	return len(b)
}

// hide appends the text to dst, with its secrets masked. There are none before from. It
// returns as rest what may be the beginning of a secret, unless all says that no more text
// comes.
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
			return r.show(dst, r.text[shown:i]), r.text[i:]
		case n == 0:
			i++
		default:
			dst = r.show(dst, r.text[shown:i])
			if r.as == nil {
				dst = append(dst, masked...)
			} else {
				dst = append(dst, r.as(r.text[i:i+n])...)
			}
			i += n
			shown = i
		}
	}
	return r.show(dst, r.text[shown:]), nil
}

func (r *reading) show(dst, text []byte) []byte {
	if r.plain != nil {
		return r.plain(dst, text)
	}
	return append(dst, text...)
}

// at returns the length of the longest secret at an index, or 0. more says that the text is
// too short to know whether there is a longer one. It has to be called for ascending
// indexes.
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
