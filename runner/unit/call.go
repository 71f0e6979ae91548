package unit

// A Call is the address of a call of a tool: the unit that makes it, and the id
// that the call has in its conversation.
type Call struct {
	Unit Unit
	ID   string
}

// String returns the address: `pages[3]:call_2`. The id may hold anything.
func (c Call) String() string { return c.Unit.text + ":" + c.ID }
