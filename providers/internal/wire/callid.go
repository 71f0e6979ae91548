package wire

import (
	"crypto/rand"
	"crypto/sha256"
	"strconv"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
)

// newCallID returns an id for a call that came without one.
func newCallID() string { return "call_" + rand.Text()[:24] }

// sharedLength is the length of an id, in letters and digits, that every service accepts:
// Mistral accepts no other.
const sharedLength = 9

// CallIDs has the ids with which the calls of a conversation are sent. Ids of the service
// itself are sent back unchanged. Any other becomes nine letters and digits that are
// unique in the conversation, because services differ in the length and the characters
// that they accept. The same conversation always gets the same ids.
type CallIDs struct {
	// Plain says that the service makes unique ids of up to 64 letters, digits, _ and -,
	// and refuses any other id, also one of its own.
	Plain bool

	provider string
	used     map[string]bool
	sent     map[string]string // the id that is sent for the last call with an id
}

// NewCallIDs returns the ids of a conversation that goes to provider.
func NewCallIDs(provider string) *CallIDs {
	return &CallIDs{provider: provider, used: map[string]bool{}, sent: map[string]string{}}
}

// Add adds the calls of the conversation's next message.
func (c *CallIDs) Add(message providers.Message) {
	for _, call := range message.Calls() {
		id := call.ID
		if message.Provider != c.provider || c.Plain && (c.used[id] || !isPlain(id)) {
			id = c.shared(id)
		}
		c.used[id], c.sent[call.ID] = true, id
	}
}

// shared returns an unused id that every service accepts.
func (c *CallIDs) shared(id string) string {
	fit := id
	for n := 0; !isShared(fit) || c.used[fit]; n++ {
		fit = lettersOf(sha256.Sum256([]byte(strconv.Itoa(n) + " " + id)))
	}
	return fit
}

// lettersOf writes the beginning of a checksum in letters and digits.
func lettersOf(sum [sha256.Size]byte) string {
	const letters = "0123456789abcdefghijklmnopqrstuvwxyz"
	spelt := make([]byte, sharedLength)
	for i := range spelt {
		spelt[i] = letters[int(sum[i])%len(letters)]
	}
	return string(spelt)
}

// Of returns the id to send for a call or its result, for the last message that had a call
// with this id.
func (c *CallIDs) Of(id string) string {
	if sent, ok := c.sent[id]; ok {
		return sent
	}
	return id
}

func isShared(id string) bool {
	return len(id) == sharedLength && !strings.ContainsAny(id, "_-") && isPlain(id)
}

func isPlain(id string) bool {
	const longest = 64
	return id != "" && len(id) <= longest && !strings.ContainsFunc(id, func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		return !letter && (r < '0' || r > '9') && r != '_' && r != '-'
	})
}
