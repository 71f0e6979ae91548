package providertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
)

// A Dialect is the service's side of a wire format: it reads requests as
// strictly as the service does, and writes streams.
type Dialect interface {
	// Read parses a request. It returns an error if the service would refuse the
	// request.
	Read(body []byte) (Asked, error)

	// Write writes the whole stream of an answer.
	Write(w io.Writer, reply Reply)
}

// An addressed dialect has a part of the request in its URL.
type addressed interface {
	Dialect

	// Locate adds to asked what is in the URL.
	Locate(u *url.URL, asked *Asked) error
}

// readRequest parses a request, with its URL where the dialect uses it. It returns an error
// for one that the service, or any service, would refuse.
func readRequest(d Dialect, u *url.URL, body []byte) (Asked, error) {
	asked, err := d.Read(body)
	if located, ok := d.(addressed); ok && err == nil {
		err = located.Locate(u, &asked)
	}
	if err != nil {
		return asked, err
	}
	return asked, asked.check()
}

// anonymous is the prefix of the ids that calls without one get in [Asked]. The index of
// the call follows.
const anonymous = "anonymous-"

// aligned returns the messages that were meant for a provider. Calls that another provider
// made, or that were sent without an id, get the ids that they have in sent.
func aligned(provider string, meant, sent []providers.Message) []providers.Message {
	var ids []string
	for _, message := range sent {
		for _, call := range message.Calls() {
			ids = append(ids, call.ID)
		}
	}
	renamed := map[string]string{}
	var list []providers.Message
	for _, message := range meant {
		for _, call := range message.Calls() {
			delete(renamed, call.ID)
			if len(ids) == 0 {
				continue
			}
			if message.Provider != provider || strings.HasPrefix(ids[0], anonymous) {
				renamed[call.ID] = ids[0]
			}
			ids = ids[1:]
		}
		list = append(list, withIDs(message, renamed))
	}
	return list
}

// withIDs returns a message with other ids of its calls and results.
func withIDs(message providers.Message, ids map[string]string) providers.Message {
	message.Blocks = slices.Clone(message.Blocks)
	for i := range message.Blocks {
		block := &message.Blocks[i]
		if id, ok := ids[block.ID]; ok && block.Type == providers.BlockToolCall {
			block.ID = id
		}
		if id, ok := ids[block.CallID]; ok && block.Type == providers.BlockToolResult {
			block.CallID = id
		}
	}
	return message
}

// Asked is a request in the terms that all formats share.
type Asked struct {
	Model    string
	System   string
	Messages []providers.Message  // their Raw is not filled in
	Tools    []providers.ToolSpec // none that the service runs itself
	Choice   string               // auto, none, or the name of the tool that must be called
	Schema   bool                 // the text must fit a schema
	Stream   bool
}

// offer adds a tool. It returns an error for a malformed one.
func (a *Asked) offer(tool providers.ToolSpec, sound bool) error {
	if !sound || !toolName.MatchString(tool.Name) {
		return fmt.Errorf("tool %q is none", tool.Name)
	}
	a.Tools = append(a.Tools, tool)
	return nil
}

func (a Asked) offers(name string) bool {
	return slices.ContainsFunc(a.Tools, func(tool providers.ToolSpec) bool { return tool.Name == name })
}

// A Reply is an answer to be written.
type Reply struct {
	Thinking string
	Text     string
	Calls    []Call
	Usage    providers.Usage
}

// A Call is a tool call of a [Reply].
type Call struct {
	ID        string
	Name      string
	Arguments string
}

// CheckPairs returns an error for a call that is unanswered, or answered twice, and for an
// answer without a call. A call must be answered by the message that follows it.
func CheckPairs(messages []providers.Message) error {
	var open []string
	for _, message := range messages {
		for _, id := range results(message) {
			at := slices.Index(open, id)
			if at < 0 {
				return fmt.Errorf("result for call %q, which is not open", id)
			}
			open = slices.Delete(open, at, at+1)
		}
		if len(open) > 0 && message.Role != providers.RoleTool {
			return fmt.Errorf("no result for call %q", open[0])
		}
		for _, call := range message.Calls() {
			if call.ID == "" || call.Name == "" || slices.Contains(open, call.ID) {
				return fmt.Errorf("call %q of tool %q: no id, no name, or an id that is taken", call.ID, call.Name)
			}
			open = append(open, call.ID)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("no result for call %q", open[0])
	}
	return nil
}

func results(message providers.Message) []string {
	var ids []string
	for _, block := range message.Blocks {
		if block.Type == providers.BlockToolResult {
			ids = append(ids, block.CallID)
		}
	}
	return ids
}

// check returns an error for what every service refuses.
func (a Asked) check() error {
	switch {
	case a.Model == "":
		return fmt.Errorf("no model")
	case len(a.Messages) == 0:
		return fmt.Errorf("no messages")
	case !a.Stream:
		return fmt.Errorf("stream is not asked for")
	case a.Choice != "auto" && a.Choice != "none" && !a.offers(a.Choice):
		return fmt.Errorf("tool choice %q is no tool of the request", a.Choice)
	case a.Choice != "auto" && len(a.Tools) == 0:
		return fmt.Errorf("a tool choice without tools")
	}
	return CheckPairs(a.Messages)
}

// outline writes a conversation's roles, texts, calls and results, a line each.
func outline(messages []providers.Message) string {
	var b strings.Builder
	for _, message := range messages {
		for _, block := range message.Blocks {
			switch {
			case block.Type == providers.BlockText && block.Text != "":
				b.WriteString(string(message.Role) + ": " + block.Text + "\n")
			case block.Type == providers.BlockToolCall:
				b.WriteString("call " + block.ID + " " + block.Name + " " + compact(block.Arguments) + "\n")
			case block.Type == providers.BlockToolResult:
				b.WriteString("result " + block.CallID + " " + block.Content + "\n")
			}
		}
	}
	return b.String()
}

func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}
