package wire

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/a-seed-11b9befa/flow/providers"
)

// NewCallID makes up an id for a call that came without one.
func NewCallID() string { return "call_" + rand.Text()[:24] }

// CallIDs translates the ids of calls to what a service accepts: those that it
// did not make itself may be longer than it allows. The zero CallIDs is not
// usable.
type CallIDs struct {
	provider string
	longest  int
	short    map[string]string
}

// NewCallIDs returns a translation for provider, where an id has at most
// longest bytes.
func NewCallIDs(provider string, longest int) *CallIDs {
	return &CallIDs{provider: provider, longest: longest, short: map[string]string{}}
}

// Call returns the id to send for a call of message.
func (c *CallIDs) Call(message providers.Message, id string) string {
	if len(id) <= c.longest || message.Provider == c.provider {
		delete(c.short, id)
		return id
	}
	sum := sha256.Sum256([]byte(id))
	c.short[id] = "call_" + hex.EncodeToString(sum[:12])
	return c.short[id]
}

// Result returns the id to send for the result of a call that was translated
// before it.
func (c *CallIDs) Result(id string) string {
	if short, ok := c.short[id]; ok {
		return short
	}
	return id
}

// Translates reports whether what is sent for a message depends on the
// translation: its ids are too long, or it may answer calls whose ids were.
func (c *CallIDs) Translates(message providers.Message) bool {
	return len(c.short) > 0 || message.Provider != c.provider &&
		slices.ContainsFunc(message.Calls(), func(call providers.Block) bool { return len(call.ID) > c.longest })
}
