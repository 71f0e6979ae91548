package unit

import "strings"

// A Call is the address of a call of a tool: the unit that makes it, and the id
// that the call has in its conversation.
type Call struct {
	Unit Unit
	ID   string
}

// maxCallID bounds the id of a call, in bytes. Ids are the services' own.
const maxCallID = 4 << 10

// ParseCall reads the address of a call: `pages[3]:call_2`. The error is an
// [Error]. The id may hold anything, and is never empty.
func ParseCall(text string) (Call, error) {
	name, id, found := strings.Cut(text, ":")
	u, err := Parse(name)
	if err != nil {
		err.(*Error).Text = text
		return Call{}, err
	}
	switch {
	case !found:
		return Call{}, &Error{text, len(name), "a colon and the id of a call"}
	case id == "":
		return Call{}, &Error{text, len(text), "the id of a call"}
	case len(id) > maxCallID:
		return Call{}, &Error{text, len(name) + 1 + maxCallID, "a shorter id of a call"}
	}
	return Call{u, id}, nil
}

// String returns the address as [ParseCall] reads it.
func (c Call) String() string { return c.Unit.text + ":" + c.ID }

// MarshalText is String.
func (c Call) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText is [ParseCall].
func (c *Call) UnmarshalText(text []byte) (err error) {
	*c, err = ParseCall(string(text))
	return err
}
