package wire

import (
	"crypto/rand"
	"crypto/sha256"
	"strconv"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
)

// newCallID makes up an id for a call that came without one.
func newCallID() string { return "call_" + rand.Text()[:24] }

// sharedLength is how many letters and digits every service takes for an id:
// Mistral takes so many, and no others.
const sharedLength = 9

// CallIDs has the ids under which the calls of a conversation are sent. Those that
// the service has made itself go back to it as they came. Any other becomes nine
// letters and digits, none of them twice: services differ in how long an id may
// be, and in what it may hold. The same conversation is always sent alike.
type CallIDs struct {
	// Plain says that the service itself makes ids of up to 64 letters, digits, _
	// and -, none of them twice, and refuses any other: whoever has made one.
	Plain bool

	provider string
	taken    map[string]bool
	sent     map[string]string // what the last call of an id is sent as
}

// NewCallIDs returns the ids of a conversation that goes to provider.
func NewCallIDs(provider string) *CallIDs {
	return &CallIDs{provider: provider, taken: map[string]bool{}, sent: map[string]string{}}
}

// Add takes in the calls of the conversation's next message.
func (c *CallIDs) Add(message providers.Message) {
	for _, call := range message.Calls() {
		id := call.ID
		if message.Provider != c.provider || c.Plain && (c.taken[id] || !isPlain(id)) {
			id = c.shared(id)
		}
		c.taken[id], c.sent[call.ID] = true, id
	}
}

// shared returns an id that every service takes, and that is not taken.
func (c *CallIDs) shared(id string) string {
	fit := id
	for n := 0; !isShared(fit) || c.taken[fit]; n++ {
		fit = lettersOf(sha256.Sum256([]byte(strconv.Itoa(n) + " " + id)))
	}
	return fit
}

// lettersOf spells the beginning of a sum.
func lettersOf(sum [sha256.Size]byte) string {
	const letters = "0123456789abcdefghijklmnopqrstuvwxyz"
	spelt := make([]byte, sharedLength)
	for i := range spelt {
		spelt[i] = letters[int(sum[i])%len(letters)]
	}
	return string(spelt)
}

// Of returns the id to send for a call, and for its result, of the last message
// that had a call of this id.
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
