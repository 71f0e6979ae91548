package anthropic

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// maxCallID is as long as the ids of most services are, in bytes.
const maxCallID = 64

// callIDs translates the ids of calls to what the API accepts: letters, digits,
// _ and -, and none twice in a conversation. Other services keep to neither. The
// same conversation is always translated alike.
type callIDs struct {
	taken map[string]bool
	sent  map[string]string // what the last call of an id was sent as
}

func newCallIDs() *callIDs {
	return &callIDs{taken: map[string]bool{}, sent: map[string]string{}}
}

// call returns the id to send for a call.
func (c *callIDs) call(id string) string {
	fit := id
	for n := 0; !isPlain(fit) || c.taken[fit]; n++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", n, id))
		fit = "call_" + hex.EncodeToString(sum[:12])
	}
	c.taken[fit], c.sent[id] = true, fit
	return fit
}

// result returns the id to send for the result of a call that was translated
// before it.
func (c *callIDs) result(id string) string {
	if fit, ok := c.sent[id]; ok {
		return fit
	}
	return id
}

func isPlain(id string) bool {
	const others = "_-"
	return id != "" && len(id) <= maxCallID && !strings.ContainsFunc(id, func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		return !letter && !strings.ContainsRune(others, r)
	})
}
