package wire

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"slices"
	"strconv"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
)

// newCallID returns an id for a call that came without one.
func newCallID() string { return "call_" + rand.Text()[:24] }

// sharedLength is the length of an id, in letters and digits, that every service accepts:
// Mistral accepts no other.
const sharedLength = 9

// Conversation returns messages as they are sent to the client's service: what only another provider
// understands (its thoughts, and Raw) is left out, and calls have ids that the service accepts. Ids of
// the service itself are sent back unchanged. Any other becomes nine letters and digits that are
// unique in the conversation, because services differ in the length and the characters
// that they accept. The same conversation always gets the same ids.
//
// plain says that the service makes unique ids of up to 64 letters, digits, _ and -, and refuses any
// other id, also one of its own.
func (c *Client) Conversation(messages []providers.Message, plain bool) []providers.Message {
	ids := callIDs{plain: plain, used: map[string]bool{}, sent: map[string]string{}}
	sent := slices.Clone(messages)
	for i := range sent {
		own := sent[i].Provider == c.at.Provider
		ids.add(sent[i].Calls(), own)
		var blocks []providers.Block
		for _, b := range sent[i].Blocks {
			switch {
			case own:
			case b.Type == providers.BlockThinking:
				continue
			default:
				b.Raw = nil
			}
			b.ID, b.CallID = ids.of(b.ID), ids.of(b.CallID)
			blocks = append(blocks, b)
		}
		sent[i].Blocks = blocks
	}
	return sent
}

// callIDs are the ids with which the calls of a conversation are sent.
type callIDs struct {
	plain bool
	used  map[string]bool
	sent  map[string]string // the id that is sent for the last call with an id
}

// add adds the calls of the next message.
func (c *callIDs) add(calls []providers.Block, own bool) {
	for _, call := range calls {
		id := call.ID
		if !own || c.plain && (c.used[id] || !isPlain(id)) {
			id = c.shared(id)
		}
		c.used[id], c.sent[call.ID] = true, id
	}
}

// shared returns an unused id that every service accepts.
func (c *callIDs) shared(id string) string {
	fit := id
	for n := 0; !isShared(fit) || c.used[fit]; n++ {
		sum := sha256.Sum256([]byte(strconv.Itoa(n) + " " + id))
		fit = strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:sharedLength]
	}
	return fit
}

// of returns the id to send for a call or its result, for the last message that had a call
// with this id.
func (c *callIDs) of(id string) string {
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

// JoinTexts returns the texts of a message as one, with blank lines between them, for
// services that don't accept a list.
func JoinTexts(message providers.Message) string {
	var texts []string
	for _, block := range message.Of(providers.BlockText) {
		if block.Text != "" {
			texts = append(texts, block.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}
