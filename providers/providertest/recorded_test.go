package providertest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/a-seed-11b9befa/flow/internal/testkit"
	"github.com/a-seed-11b9befa/flow/providers"
)

// TestRecordedTraffic runs every recorded case of each wire format, each served in one write,
// in small random pieces, and with the connection broken off after the last byte where the
// recording is cut. It compares what is decoded with what the case expects, and checks each
// request that is made for the next exchange against the service's own description. Without
// the corpus it is skipped.
func TestRecordedTraffic(t *testing.T) {
	folder := testkit.Find(t, "FLOW_WIRE_CORPUS", "../shared/wire")
	own := formats()
	azureResponses, azureChat := deployed()
	for _, c := range []struct {
		name, api string
		provider  Provider
	}{
		{"anthropic", "anthropic-messages", own["anthropic"].Provider},
		{"google", "gemini-generate", own["google older"].Provider}, // some of them are
		{"ollama", "ollama-chat", own["ollama"].Provider},
		{"openai", "openai-responses", own["openai-responses"].Provider},
		{"openai-chat", "openai-chat", own["openai-chat"].Provider},
		{"azure, responses", "openai-responses", azureResponses},
		{"azure, chat", "openai-chat", azureChat},
	} {
		t.Run(c.name, func(t *testing.T) { replayAll(t, folder, c.api, c.provider) })
	}
}

// replayAll runs the cases of one wire format.
func replayAll(t *testing.T, folder, api string, p Provider) {
	counts := map[string]int{}
	all := recordings(t, folder, api)
	for _, r := range all {
		counts[r.Provider]++
		schema := compileSchema(t, filepath.Join(folder, "spec", schemaOf(r)+".schema.json"))
		for _, serve := range waysToServe {
			t.Run(r.Name+"/"+serve.name, func(t *testing.T) {
				r.cut = serve.name == "cut"
				(&replayed{recording: r, provider: p, schema: schema, write: serve.write}).run(t)
			})
		}
	}
	if len(all) == 0 {
		t.Errorf("%s has no case of %s", folder, api)
	}
	testkit.Ran(t, "all: %d cases of %s %v, each served in %d ways", len(all), api, counts, len(waysToServe))
}

// schemaOf returns the name of the description that requests are checked against.
func schemaOf(r recording) string {
	switch {
	case r.API == "anthropic-messages":
		return "openrouter-messages-request"
	case r.API == "openai-chat" && r.Provider == "openrouter":
		return "openrouter-chat-request"
	}
	return r.API + "-request"
}

// waysToServe are how a recorded body is written.
var waysToServe = []struct {
	name  string
	write func(w http.ResponseWriter, body []byte)
}{
	{"whole", func(w http.ResponseWriter, body []byte) { w.Write(body) }},
	{"pieces", writePieces},
	{"cut", writeHalf},
}

// writeHalf breaks the connection off in the middle of the body.
func writeHalf(w http.ResponseWriter, body []byte) {
	w.Write(body[:len(body)/2])
	http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

func writePieces(w http.ResponseWriter, body []byte) {
	random := rand.New(rand.NewPCG(1, uint64(len(body))))
	for len(body) > 0 {
		n := min(1+random.IntN(200), len(body))
		w.Write(body[:n])
		http.NewResponseController(w).Flush()
		body = body[n:]
	}
}

func compileSchema(t *testing.T, path string) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(onlyFile(path))
	schema, err := compiler.Compile(path)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// onlyFile loads one schema and nothing else, whatever it refers to.
type onlyFile string

// Load reads the one file.
func (f onlyFile) Load(url string) (any, error) {
	if !strings.HasSuffix(url, filepath.Base(string(f))) {
		return nil, http.ErrNotSupported
	}
	return jsonschema.FileLoader{}.Load(url)
}

// replayed is one case that is being run.
type replayed struct {
	recording
	provider Provider
	schema   *jsonschema.Schema
	write    func(w http.ResponseWriter, body []byte)

	turn    int
	answers []providers.Message

	// A handler may still be writing when its client has read enough and the
	// next exchange begins.
	mu      sync.Mutex
	serving int    // the exchange that is asked for now
	sent    []byte // the last request that the provider under test made
}

// next begins an exchange.
func (r *replayed) next(turn int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.turn, r.serving = turn, turn
}

// lastRequest is what the provider under test sent last.
func (r *replayed) lastRequest() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sent
}

// received keeps a request, and returns the exchange that it belongs to.
func (r *replayed) received(body []byte) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = body
	return r.serving
}

func (r *replayed) run(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { r.serve(t, w, req) }))
	defer server.Close()
	e := endpoint(server.URL)
	e.Model, e.Provider = cmp.Or(r.Model, e.Model), r.recording.Provider
	model := r.provider.New(e)
	for i := range r.Turns {
		r.next(i)
		req, recorded := r.request(t)
		message, err := model.Stream(context.Background(), req, nil)
		r.checkRequest(t, req, recorded)
		if r.cut && r.Turns[i].Status == http.StatusOK {
			checkFailure(t, expected{Truncated: true}, err)
			continue
		}
		checkAnswer(t, r.Expect[i], message, err)
		if err == nil {
			r.answers = append(r.answers, message)
		}
	}
}

func (r *replayed) serve(t *testing.T, w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		t.Error(err)
	}
	number := r.received(body)
	turn := r.Turns[number]
	answer := r.file(t, turn.Response)
	w.Header().Set("Content-Type", r.contentType(t, turn))
	w.WriteHeader(turn.Status)
	if r.cut && turn.Status != http.StatusOK {
		w.Write(answer) // half a refusal is a refusal
		return
	}
	r.write(w, answer)
	if r.Expect[number].Truncated {
		panic(http.ErrAbortHandler) // breaks the connection off
	}
}

// request builds the request of the present exchange from the recorded one:
// what the recorded client sent as the model's words is replaced by what the
// provider under test made of them. Without a recorded request a small one does.
func (r *replayed) request(t *testing.T) (providers.Request, *Asked) {
	t.Helper()
	name := r.Turns[r.turn].Request
	if name == "" {
		return providers.Request{Messages: []providers.Message{providers.UserText("Go on.")}}, nil
	}
	body := r.file(t, name)
	asked, err := r.provider.Dialect().Read(body)
	if err != nil {
		t.Fatalf("recorded request %s: %v", name, err)
	}
	req := providers.Request{System: asked.System, Tools: asked.Tools}
	renamed := map[string]string{} // ids that the recorded client made up, and ours
	for _, message := range asked.Messages {
		own := r.own(message)
		for i, call := range message.Calls() {
			renamed[call.ID] = own.Calls()[i].ID
		}
		if message.Role == providers.RoleTool {
			own = withIDs(own, renamed)
		}
		req.Messages = append(req.Messages, own)
	}
	if bytes.Contains(body, []byte(`"previous_response_id":"resp`)) {
		req.Messages = append(r.before(t), req.Messages...)
	}
	switch asked.Choice {
	case "auto", "required":
	case "none":
		req.NoTools = true
	default:
		req.Force = asked.Choice
	}
	if asked.Schema {
		req.Output = &providers.Output{Name: "result", Schema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`)}
	}
	return req, &asked
}

// before is the conversation that the recorded client left with the service.
func (r *replayed) before(t *testing.T) []providers.Message {
	asked, err := r.provider.Dialect().Read(r.file(t, r.Turns[r.turn-1].Request))
	if err != nil {
		t.Fatal(err)
	}
	return append(asked.Messages, r.answers[len(r.answers)-1])
}

// own returns the answer of this run that a recorded message stands for.
func (r *replayed) own(message providers.Message) providers.Message {
	if message.Role != providers.RoleAssistant {
		return message
	}
	for i, answer := range r.answers {
		if sameWords(answer, message, r.Expect[i]) {
			return answer
		}
	}
	return message
}

// sameWords compares an answer of this run with a recorded one. Calls without an
// id on the wire have others in each.
func sameWords(a, b providers.Message, wire expected) bool {
	calls, others := a.Calls(), b.Calls()
	if len(calls) != len(others) || len(calls) != len(wire.Calls) || len(calls) == 0 && a.Text() != b.Text() {
		return false
	}
	for i := range calls {
		if wire.Calls[i].ID != "" && calls[i].ID != others[i].ID || calls[i].Name != others[i].Name {
			return false
		}
	}
	return true
}

// checkRequest compares what was sent with the service's description, and in
// meaning with what the recorded client sent.
func (r *replayed) checkRequest(t *testing.T, req providers.Request, recorded *Asked) {
	t.Helper()
	sent := r.lastRequest()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(sent))
	if err != nil {
		t.Fatalf("exchange %d: request: %v", r.turn+1, err)
	}
	if err := r.schema.Validate(value); err != nil {
		t.Errorf("exchange %d: request does not fit the service's description: %v\n%s", r.turn+1, err, sent)
	}
	asked, err := r.provider.Dialect().Read(sent)
	if err != nil {
		t.Fatalf("exchange %d: request: %v", r.turn+1, err)
	}
	if recorded != nil && asked.Choice != recorded.Choice && recorded.Choice != "required" {
		t.Errorf("exchange %d: tool choice %q, recorded %q", r.turn+1, asked.Choice, recorded.Choice)
	}
	checkMeaning(t, r.recording.Provider, req, asked)
	r.checkReplay(t, req, compact(sent))
}

// checkMeaning compares what was asked for with what was sent: roles, texts,
// calls with their ids, results.
func checkMeaning(t *testing.T, provider string, req providers.Request, asked Asked) {
	t.Helper()
	if asked.System != req.System {
		t.Errorf("system %q, want %q", asked.System, req.System)
	}
	if len(asked.Tools) != len(req.Tools) {
		t.Errorf("tools %+v, want %d", asked.Tools, len(req.Tools))
	}
	if got, want := outline(asked.Messages), outline(aligned(provider, req.Messages, asked.Messages)); got != want {
		t.Errorf("conversation sent:\n%s\nwant:\n%s", got, want)
	}
}

// checkReplay looks for everything that the provider needs back in what was
// sent: encrypted reasoning, signatures, items.
func (r *replayed) checkReplay(t *testing.T, req providers.Request, sent string) {
	t.Helper()
	for _, message := range req.Messages {
		for _, block := range message.Blocks {
			for _, piece := range needed(block.Raw) {
				if !strings.Contains(sent, compact(piece)) {
					t.Errorf("exchange %d: not sent back: %s", r.turn+1, piece)
				}
			}
		}
	}
}

// needed returns what of a block's Raw must be found in the next request: the
// item as a whole, where it has a type, or else the fields that it holds.
func needed(raw json.RawMessage) []json.RawMessage {
	var fields map[string]json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &fields) != nil {
		return nil
	}
	if _, item := fields["type"]; item {
		if string(fields["type"]) == `"reasoning"` && fields["encrypted_content"] == nil {
			return nil // nobody could find it by its id
		}
		return []json.RawMessage{raw}
	}
	return slices.Collect(maps.Values(fields))
}
