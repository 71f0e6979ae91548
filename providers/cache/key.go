package cache

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/a-seed-11b9befa/flow/providers"
)

// keyVersion is part of every key. It changes when the content of keys does.
const keyVersion = "flow cached answer 3"

// A key is the digest of a whole request.
type key [sha256.Size]byte

func (k key) String() string { return hex.EncodeToString(k[:]) }

// An EndpointDigest is the digest of an endpoint, as a part of keys.
type EndpointDigest [sha256.Size]byte

// DigestOf returns the digest of an endpoint: its service, its address, and what is sent with
// every request, without the key. formats is what else changes requests, such as the wire
// format.
func DigestOf(e providers.Endpoint, formats ...string) EndpointDigest {
	return sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %q %q %q", keyVersion, e.Provider, e.Model, e.BaseURL, e.Body, e.Headers, formats))
}

// keyOf returns the key of a request to a model. The step, the conversation and the usage of
// earlier answers are not part of it, nor is the limit of the answer's length, which depends on what
// is left of a budget: see [Conversation.find].
func keyOf(info providers.Info, endpoint EndpointDigest, req providers.Request) key {
	messages := slices.Clone(req.Messages)
	for i, m := range messages {
		messages[i] = providers.Message{Role: m.Role, Provider: m.Provider, Model: m.Model, Blocks: m.Blocks}
	}
	params := req.Params
	params.MaxOutputTokens = 0
	whole, err := json.Marshal([]any{
		keyVersion, info.Ref, info.Provider, endpoint, req.System, req.Force, req.Result, req.NoTools, messages, req.Tools, req.Output, params,
	})
	if err != nil { // no service takes a temperature of NaN, or a schema that is no JSON
		whole = []byte(rand.Text())
	}
	return sha256.Sum256(whole)
}
