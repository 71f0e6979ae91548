package cache

import (
	"encoding/json"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
)

// whole is a request with something in each field that counts.
func whole() providers.Request {
	return providers.Request{
		System: "s", Force: "f", Result: "r",
		Messages: []providers.Message{
			providers.UserText("a"),
			{Role: providers.RoleAssistant, Provider: "p", Model: "p/m", Blocks: []providers.Block{
				{Type: providers.BlockToolCall, ID: "1", Name: "n", Arguments: json.RawMessage(`{}`), Raw: json.RawMessage(`{}`)}}},
			{Role: providers.RoleTool, Blocks: []providers.Block{{Type: providers.BlockToolResult, CallID: "1", Name: "n", Content: "c"}}},
		},
		Tools:  []providers.ToolSpec{{Name: "n", Description: "d", Parameters: json.RawMessage(`{"type":"object"}`)}},
		Output: &providers.Output{Name: "o", Schema: json.RawMessage(`{"type":"string"}`)},
		Params: providers.Params{Temperature: new(0.5), TopP: new(0.5), Seed: new(int64(1)), MaxOutputTokens: 1, ReasoningEffort: "low", ReasoningBudget: 1},
	}
}

// TestKeys changes a request, one thing at a time.
func TestKeys(t *testing.T) {
	info := providers.Info{Ref: "p/m", Provider: "p"}
	seen := map[key]string{keyOf(info, EndpointDigest{}, whole()): "the whole"}
	for name, change := range map[string]func(*providers.Request){
		"system":          func(r *providers.Request) { r.System = "t" },
		"system and rest": func(r *providers.Request) { r.System, r.Force = "sf", "" },
		"force":           func(r *providers.Request) { r.Force = "" },
		"result":          func(r *providers.Request) { r.Result = "" },
		"no tools":        func(r *providers.Request) { r.NoTools = true },
		"role":            func(r *providers.Request) { r.Messages[0].Role = providers.RoleTool },
		"text":            func(r *providers.Request) { r.Messages[0].Blocks[0].Text = "b" },
		"type":            func(r *providers.Request) { r.Messages[0].Blocks[0].Type = providers.BlockThinking },
		"one message less": func(r *providers.Request) {
			r.Messages = r.Messages[:2]
		},
		"provider":     func(r *providers.Request) { r.Messages[1].Provider = "q" },
		"model":        func(r *providers.Request) { r.Messages[1].Model = "p/n" },
		"call id":      func(r *providers.Request) { r.Messages[1].Blocks[0].ID = "2" },
		"call name":    func(r *providers.Request) { r.Messages[1].Blocks[0].Name = "m" },
		"arguments":    func(r *providers.Request) { r.Messages[1].Blocks[0].Arguments = json.RawMessage(`{"a":1}`) },
		"raw":          func(r *providers.Request) { r.Messages[1].Blocks[0].Raw = nil },
		"result id":    func(r *providers.Request) { r.Messages[2].Blocks[0].CallID = "2" },
		"content":      func(r *providers.Request) { r.Messages[2].Blocks[0].Content = "d" },
		"error":        func(r *providers.Request) { r.Messages[2].Blocks[0].Error = true },
		"tools":        func(r *providers.Request) { r.Tools = nil },
		"tool name":    func(r *providers.Request) { r.Tools[0].Name = "m" },
		"description":  func(r *providers.Request) { r.Tools[0].Description = "e" },
		"parameters":   func(r *providers.Request) { r.Tools[0].Parameters = json.RawMessage(`{}`) },
		"output":       func(r *providers.Request) { r.Output = nil },
		"output name":  func(r *providers.Request) { r.Output.Name = "p" },
		"schema":       func(r *providers.Request) { r.Output.Schema = json.RawMessage(`{}`) },
		"temperature":  func(r *providers.Request) { r.Params.Temperature = nil },
		"temperature0": func(r *providers.Request) { r.Params.Temperature = new(0.0) },
		"top_p":        func(r *providers.Request) { r.Params.TopP = nil },
		"seed":         func(r *providers.Request) { r.Params.Seed = nil },
		"seed0":        func(r *providers.Request) { r.Params.Seed = new(int64) },
		"effort":       func(r *providers.Request) { r.Params.ReasoningEffort = "high" },
		"budget":       func(r *providers.Request) { r.Params.ReasoningBudget = 2 },
	} {
		req := whole()
		change(&req)
		id := keyOf(info, EndpointDigest{}, req)
		if other, there := seen[id]; there {
			t.Errorf("%s has the key of %s", name, other)
		}
		seen[id] = name
	}
	for name, id := range map[string]key{
		"another model":    keyOf(providers.Info{Ref: "p/n", Provider: "p"}, EndpointDigest{}, whole()),
		"another provider": keyOf(providers.Info{Ref: "p/m", Provider: "q"}, EndpointDigest{}, whole()),
		"another endpoint": keyOf(info, EndpointDigest{1}, whole()),
	} {
		if other, there := seen[id]; there {
			t.Errorf("%s has the key of %s", name, other)
		}
		seen[id] = name
	}
}

// TestKeysOfTheSame has what is no part of a key.
func TestKeysOfTheSame(t *testing.T) {
	info := providers.Info{Ref: "p/m", Provider: "p"}
	want := keyOf(info, EndpointDigest{}, whole())
	for name, change := range map[string]func(*providers.Request){
		"who asks":            func(r *providers.Request) { r.Conversation, r.Step, r.Prompt = "a", "b", "c" },
		"what an answer took": func(r *providers.Request) { r.Messages[1].Usage.InputTokens, r.Messages[1].Finish = 7, "stop" },
		"an answer was kept":  func(r *providers.Request) { r.Messages[1].Saved = new(providers.Usage) },
		"blanks in a schema":  func(r *providers.Request) { r.Tools[0].Parameters = json.RawMessage("{ \"type\":\n\"object\" }") },
	} {
		req := whole()
		change(&req)
		if keyOf(info, EndpointDigest{}, req) != want {
			t.Errorf("%s changes the key", name)
		}
	}
	obeys := info
	obeys.StructuredOutput = true
	if keyOf(obeys, EndpointDigest{}, whole()) != want {
		t.Error("what is known of a model changes the key")
	}
}

func TestDigestOf(t *testing.T) {
	seen := map[EndpointDigest]int{}
	for i, e := range []providers.Endpoint{
		{}, {Provider: "p"}, {Model: "p"}, {BaseURL: "p"}, {Body: []byte("p")}, {Headers: map[string]string{"p": ""}},
		{Headers: map[string]string{"p": "q"}}, {Headers: map[string]string{"p": "q", "r": "s"}},
	} {
		if other, there := seen[DigestOf(e)]; there {
			t.Errorf("%d has the digest of %d", i, other)
		}
		seen[DigestOf(e)] = i
		if DigestOf(e) == DigestOf(e, "chat") {
			t.Errorf("%d has the same digest in another format", i)
		}
	}
	if DigestOf(providers.Endpoint{APIKey: "a"}) != DigestOf(providers.Endpoint{APIKey: "b"}) {
		t.Error("a key changes the digest")
	}
}
