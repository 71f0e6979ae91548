package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/a-seed-11b9befa/flow/providers"
)

// keyVersion is part of every key. It changes when the content of keys does.
const keyVersion = "flow cached answer 2"

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
// is left of a budget: see [Conversation.find]. Each text is in quotes, so that different requests are
// never hashed alike.
func keyOf(info providers.Info, endpoint EndpointDigest, req providers.Request) (k key) {
	sum := sha256.New()
	add := func(format string, args ...any) { fmt.Fprintf(sum, format, args...) } // never fails
	add("%q %q %q %x %q %q %q %t\n", keyVersion, info.Ref, info.Provider, endpoint, req.System, req.Force, req.Result, req.NoTools)
	for _, m := range req.Messages {
		add("message %q %q %q\n", m.Role, m.Provider, m.Model)
		for _, b := range m.Blocks {
			add("block %q %q %q %q %q %q %q %q %t\n", b.Type, b.Text, b.ID, b.Name, b.Arguments, b.CallID, b.Content, b.Raw, b.Error)
		}
	}
	for _, t := range req.Tools {
		add("tool %q %q %q\n", t.Name, t.Description, compact(t.Parameters))
	}
	if req.Output != nil {
		add("output %q %q\n", req.Output.Name, compact(req.Output.Schema))
	}
	p := req.Params
	p.MaxOutputTokens = 0
	params, err := json.Marshal(p)
	if err != nil {
		params = fmt.Append(nil, err) // such as for a temperature of NaN, which no service takes
	}
	add("params %s", params)
	sum.Sum(k[:0])
	return k
}

// compact returns JSON without white space. The order of its fields stays: a model writes
// them in that order.
func compact(raw json.RawMessage) []byte {
	var out bytes.Buffer
	if json.Compact(&out, raw) != nil {
		return raw
	}
	return out.Bytes()
}
