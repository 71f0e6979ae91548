package kept

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash"
	"maps"
	"math"
	"slices"

	"github.com/a-seed-11b9befa/flow/providers"
)

// keyVersion is part of every key. It changes when the content of keys does.
const keyVersion = "flow kept answer 1"

// A key is the digest of a whole request.
type key [sha256.Size]byte

func (k key) String() string { return hex.EncodeToString(k[:]) }

// An EndpointDigest is the digest of an endpoint, as a part of keys.
type EndpointDigest [sha256.Size]byte

// DigestOf returns the digest of an endpoint: its service, its address, and what is sent with
// every request, without the key. formats is what else changes requests, such as the wire
// format.
func DigestOf(e providers.Endpoint, formats ...string) EndpointDigest {
	d := newDigest()
	d.texts(e.Provider, e.Model, e.BaseURL, string(e.Body))
	d.count(len(e.Headers))
	for _, name := range slices.Sorted(maps.Keys(e.Headers)) {
		d.texts(name, e.Headers[name])
	}
	d.count(len(formats))
	d.texts(formats...)
	return EndpointDigest(d.sum())
}

// keyOf returns the key of a request to a model. The step, the conversation and the usage of
// earlier answers are not part of it, nor is the limit of the answer's length, which depends on what
// is left of a budget: see [Conversation.find].
func keyOf(info providers.Info, endpoint EndpointDigest, req providers.Request) key {
	d := newDigest()
	d.texts(info.Ref, info.Provider, string(endpoint[:]), req.System, req.Force, req.Result)
	d.flag(req.NoTools)
	d.count(len(req.Messages))
	for _, m := range req.Messages {
		d.texts(string(m.Role), m.Provider, m.Model)
		d.count(len(m.Blocks))
		for _, b := range m.Blocks {
			d.texts(string(b.Type), b.Text, b.ID, b.Name, string(b.Arguments), b.CallID, b.Content, string(b.Raw))
			d.flag(b.Error)
		}
	}
	d.count(len(req.Tools))
	for _, t := range req.Tools {
		d.texts(t.Name, t.Description, canonical(t.Parameters))
	}
	d.flag(req.Output != nil)
	if req.Output != nil {
		d.texts(req.Output.Name, canonical(req.Output.Schema))
	}
	d.params(req.Params)
	return d.sum()
}

// canonical returns JSON without white space. The order of its fields stays: a model writes
// them in that order.
func canonical(raw json.RawMessage) string {
	var out bytes.Buffer
	if json.Compact(&out, raw) != nil {
		return string(raw)
	}
	return out.String()
}

// A digest hashes values, each with its length before it, so that different requests are
// never hashed alike.
type digest struct{ hash hash.Hash }

func newDigest() digest {
	d := digest{sha256.New()}
	d.texts(keyVersion)
	return d
}

func (d digest) sum() (k key) {
	d.hash.Sum(k[:0])
	return k
}

func (d digest) texts(texts ...string) {
	for _, text := range texts {
		d.count(len(text))
		d.hash.Write([]byte(text))
	}
}

func (d digest) count(n int) { d.number(uint64(n)) }

func (d digest) number(n uint64) { d.hash.Write(binary.LittleEndian.AppendUint64(nil, n)) }

func (d digest) flag(set bool) {
	n := uint64(0)
	if set {
		n = 1
	}
	d.number(n)
}

func (d digest) params(p providers.Params) {
	for _, n := range []*float64{p.Temperature, p.TopP} {
		d.flag(n != nil)
		if n != nil {
			d.number(math.Float64bits(*n))
		}
	}
	d.flag(p.Seed != nil)
	if p.Seed != nil {
		d.number(uint64(*p.Seed))
	}
	d.count(p.ReasoningBudget)
	d.texts(p.ReasoningEffort)
}
