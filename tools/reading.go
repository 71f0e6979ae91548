package tools

// reading is one search of a text for secrets, from the beginning to the end.
type reading struct {
	secrets *secrets
	text    []byte
	as      func([]byte) string // returns the replacement of a secret; nil is ***

	looked int // how many characters at an offset are like the beginning of a secret
	left   int // how many more there may be than usual
}

// usualLook is how many characters of a text may be like the beginning of a secret at any
// offset. For offsets with more of them there is a limit in all, so that the time of a search
// does not depend on what somebody writes into the text.
const (
	usualLook = 16
	mostLooks = 4 << 20 // and usualLook for each byte of the text
)

func (m *Mask) reads(text []byte) *reading {
	return &reading{secrets: m.current(), text: text, left: mostLooks + usualLook*len(text)}
}

// over reports whether the text has reached the limit: then all that follows is a secret.
func (r *reading) over() bool { return r.left < 0 }

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

// at returns the length of the longest secret at an index, or 0. more says that the text is
// too short to know whether there is a longer one.
func (r *reading) at(i int) (n int, more bool) {
	if r.over() {
		return len(r.text) - i, false
	}
	first := r.text[i]
	r.looked = 0
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
	r.left -= max(0, r.looked-usualLook)
	return n, more
}
