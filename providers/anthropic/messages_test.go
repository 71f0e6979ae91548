package anthropic

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire/wiretest"
)

func said(provider string, blocks ...providers.Block) providers.Message {
	return providers.Message{Role: providers.RoleAssistant, Provider: provider, Blocks: blocks}
}

func text(s string) providers.Block { return providers.Block{Type: providers.BlockText, Text: s} }

func thought(raw string) providers.Block {
	return providers.Block{Type: providers.BlockThinking, Text: "hm", Raw: []byte(raw)}
}

func call(id, arguments string) providers.Block {
	return providers.Block{Type: providers.BlockToolCall, ID: id, Name: "read", Arguments: []byte(arguments)}
}

func result(id, content string) providers.Block {
	return providers.Block{Type: providers.BlockToolResult, CallID: id, Name: "read", Content: content}
}

func answers(blocks ...providers.Block) providers.Message {
	return providers.Message{Role: providers.RoleTool, Blocks: blocks}
}

// conversation writes what is sent of messages, a line each, without marks.
func conversation(t *testing.T, options Options, messages []providers.Message) string {
	t.Helper()
	got, _ := sent(t, options, providers.Request{Messages: messages})
	var lines []string
	for _, m := range got["messages"].([]any) {
		m := m.(map[string]any)
		words := []string{m["role"].(string)}
		for _, b := range m["content"].([]any) {
			b := b.(map[string]any)
			switch b["type"] {
			case "text":
				words = append(words, fmt.Sprintf("text(%v)", b["text"]))
			case "thinking":
				words = append(words, fmt.Sprintf("thinking(%v %v)", b["thinking"], b["signature"]))
			case "tool_use":
				words = append(words, fmt.Sprintf("call(%v %v)", b["id"], b["input"]))
			case "tool_result":
				words = append(words, fmt.Sprintf("result(%v %v %v)", b["tool_use_id"], b["content"], b["is_error"]))
			default:
				words = append(words, fmt.Sprint(b["type"]))
			}
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return strings.Join(lines, "\n")
}

func TestMessages(t *testing.T) {
	user := providers.UserText("u")
	failed := result("c", " \n")
	failed.Error = true
	for _, c := range []struct {
		name     string
		messages []providers.Message
		want     string
	}{
		{"texts of a user", []providers.Message{user, providers.UserText("v")}, "user text(u) text(v)"},
		{"blank texts", []providers.Message{{Role: providers.RoleUser, Blocks: []providers.Block{text(""), text("a"), text(" \n")}}}, "user text(a)"},
		{"thoughts go back", []providers.Message{user, said("anthropic", thought(`{"type":"thinking","thinking":"h<","signature":"S&"}`), text("a")), user},
			"user text(u)\nassistant thinking(h< S&) text(a)\nuser text(u)"},
		{"redacted thoughts go back", []providers.Message{user, said("anthropic", thought(`{"type":"redacted_thinking","data":"D"}`), text("a")), user},
			"user text(u)\nassistant redacted_thinking text(a)\nuser text(u)"},
		{"what the service ran goes back", []providers.Message{user, said("anthropic", thought(`{"type":"server_tool_use","id":"srv"}`), thought(`{"type":"web_search_tool_result"}`), text("a")), user},
			"user text(u)\nassistant server_tool_use web_search_tool_result text(a)\nuser text(u)"},
		{"a text with citations goes back whole", []providers.Message{user, said("anthropic", providers.Block{Type: providers.BlockText, Text: "a", Raw: []byte(`{"type":"text","text":"a!","citations":[]}`)}), user},
			"user text(u)\nassistant text(a!)\nuser text(u)"},
		{"a thought cut before its signature", []providers.Message{user, said("anthropic", thought(`{"type":"thinking","thinking":"h","signature":""}`), text("a")), user},
			"user text(u)\nassistant text(a)\nuser text(u)"},
		{"thoughts of another", []providers.Message{user, said("openai", thought(`{"type":"thinking","thinking":"h","signature":"S"}`), text("a")), user},
			"user text(u)\nassistant text(a)\nuser text(u)"},
		{"nothing but thoughts of another", []providers.Message{user, said("openai", thought(`{}`)), providers.UserText("v")}, "user text(u) text(v)"},
		{"an empty answer after results", []providers.Message{user, said("anthropic", call("c", "{}")), answers(result("c", "r")), said("anthropic"), user},
			"user text(u)\nassistant call(c map[])\nuser result(c r <nil>) text(u)"},
		{"two answers in a row", []providers.Message{user, said("anthropic", text("a")), said("anthropic", text("b")), user}, "user text(u)\nassistant text(a) text(b)\nuser text(u)"},
		{"results go first", []providers.Message{user, said("anthropic", call("c", `{"a":1}`), call("d", "{}")),
			{Role: providers.RoleTool, Blocks: []providers.Block{text("By the way."), result("c", "r"), failed}}, user},
			"user text(u)\nassistant call(c map[a:1]) call(d map[])\nuser result(c r <nil>) result(c failed true) text(By the way.) text(u)"},
		{"arguments that were cut", []providers.Message{user, said("anthropic", call("c", `{"a`)), answers(result("c", "r"))},
			"user text(u)\nassistant call(c map[invalid_json:{\"a])\nuser result(c r <nil>)"},
		{"arguments that are no object", []providers.Message{user, said("anthropic", call("c", `[1]`)), answers(result("c", "r"))},
			"user text(u)\nassistant call(c map[invalid_json:[1]])\nuser result(c r <nil>)"},
		{"no arguments", []providers.Message{user, said("anthropic", call("c", ``)), answers(result("c", "r"))},
			"user text(u)\nassistant call(c map[])\nuser result(c r <nil>)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := conversation(t, claude("claude-opus-4-6"), c.messages); got != c.want {
				t.Errorf("sent:\n%s\nwant:\n%s", got, c.want)
			}
		})
	}
}

// TestUnsignedThoughts: a service that signs nothing gets its thoughts back.
func TestUnsignedThoughts(t *testing.T) {
	own := Options{Endpoint: providers.Endpoint{Provider: "own", Model: "m", BaseURL: "http://h"}}
	got := conversation(t, own, []providers.Message{
		providers.UserText("u"), said("own", thought(`{"type":"thinking","thinking":"h","signature":""}`), text("a")), providers.UserText("v"),
	})
	if want := "user text(u)\nassistant thinking(h ) text(a)\nuser text(v)"; got != want {
		t.Errorf("sent:\n%s", got)
	}
}

// TestInterruptedThinking: a turn that began without a thought can't take one up
// in its middle, where thinking has a budget.
func TestInterruptedThinking(t *testing.T) {
	signed := thought(`{"type":"thinking","thinking":"h","signature":"S"}`)
	loop := func(first ...providers.Block) []providers.Message {
		return []providers.Message{
			providers.UserText("u"), said("anthropic", append(first, call("c", "{}"))...), answers(result("c", "r")),
			said("anthropic", call("d", "{}")), answers(result("d", "r")),
		}
	}
	for _, c := range []struct {
		name, model string
		messages    []providers.Message
		want        string
	}{
		{"begun with a thought", "claude-sonnet-4-5", loop(signed), `{"thinking":{"type":"enabled","budget_tokens":4096}}`},
		{"begun without", "claude-sonnet-4-5", loop(), `{"thinking":null}`},
		{"begun with a text", "claude-sonnet-4-5", loop(text("a")), `{"thinking":null}`},
		{"begun without, but ended", "claude-sonnet-4-5", append(loop(), said("anthropic", text("a")), providers.UserText("v")), `{"thinking":{"type":"enabled","budget_tokens":4096}}`},
		{"begun without, adaptive", "claude-opus-4-7", loop(), `{"thinking":` + adaptive + `}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _ := sent(t, claude(c.model), providers.Request{Messages: c.messages, Params: providers.Params{ReasoningEffort: "low"}})
			wiretest.WantFields(t, got, c.want)
		})
	}
}

// TestMarks shows where the cache is told to keep what was sent, turn by turn.
func TestMarks(t *testing.T) {
	marks := func(req providers.Request) string {
		got, _ := sent(t, claude("claude-opus-4-6"), req)
		var found []string
		look := func(name string, list any) {
			blocks, _ := list.([]any)
			for i, b := range blocks {
				if b.(map[string]any)["cache_control"] != nil {
					found = append(found, fmt.Sprintf("%s.%d", name, i))
				}
			}
		}
		look("tools", got["tools"])
		look("system", got["system"])
		for i, m := range got["messages"].([]any) {
			look(fmt.Sprint(i), m.(map[string]any)["content"])
		}
		return strings.Join(found, " ")
	}
	tools := []providers.ToolSpec{readTool, {Name: "now"}}
	turns := []providers.Message{
		providers.UserText("u"), said("anthropic", call("a", "{}"), call("b", "{}")), answers(result("a", "r"), result("b", "r")),
		said("anthropic", call("c", "{}")), answers(result("c", "r")), said("anthropic", text("a")), providers.UserText("v"),
	}
	for _, c := range []struct {
		name string
		req  providers.Request
		want string
	}{
		{"one question", providers.Request{Messages: turns[:1]}, ""},
		{"one question with a system prompt", providers.Request{System: "s", Messages: turns[:1]}, "system.0"},
		{"a second question", providers.Request{Messages: []providers.Message{turns[0], turns[5], turns[6]}}, "0.0 2.0"},
		{"first turn", providers.Request{System: "s", Tools: tools, Messages: turns[:1]}, "tools.1 system.0 0.0"},
		{"second turn", providers.Request{System: "s", Tools: tools, Messages: turns[:3]}, "tools.1 system.0 0.0 2.1"},
		{"third turn", providers.Request{System: "s", Tools: tools, Messages: turns[:5]}, "tools.1 system.0 2.1 4.0"},
		{"next question", providers.Request{System: "s", Tools: tools, Messages: turns}, "tools.1 system.0 4.0 6.0"},
		{"the last words", providers.Request{System: "s", Tools: tools, Messages: turns[:5], NoTools: true}, "tools.1 system.0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := marks(c.req); got != c.want {
				t.Errorf("marks at %s, want %s", got, c.want)
			}
		})
	}
}
