package providertest

import (
	"fmt"
	"io"
	"slices"

	"github.com/a-seed-11b9befa/flow/providers"
)

// A Dialect is the service's side of a wire format: it reads requests as
// strictly as the service does, and writes streams.
type Dialect interface {
	// Read takes a request apart. Its error is what the service would refuse
	// the request for.
	Read(body []byte) (Asked, error)

	// Write writes the whole stream of an answer.
	Write(w io.Writer, reply Reply)
}

// Asked is a request, in words that all formats share.
type Asked struct {
	Model    string
	System   string
	Messages []providers.Message // their Raw is not filled in
	Tools    []string
	Choice   string // auto, none, or the name of the tool that must be called
	Schema   bool   // the text must fit a schema
	Stream   bool
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

// CheckPairs refuses a conversation in which a call is unanswered, answered
// twice, or answered without having been made. A call must be answered by the
// message that follows it.
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

// check refuses what every service refuses.
func (a Asked) check() error {
	switch {
	case a.Model == "":
		return fmt.Errorf("no model")
	case len(a.Messages) == 0:
		return fmt.Errorf("no messages")
	case !a.Stream:
		return fmt.Errorf("stream is not asked for")
	case a.Choice != "auto" && a.Choice != "none" && !slices.Contains(a.Tools, a.Choice):
		return fmt.Errorf("tool choice %q is no tool of the request", a.Choice)
	case a.Choice != "auto" && len(a.Tools) == 0:
		return fmt.Errorf("a tool choice without tools")
	}
	return CheckPairs(a.Messages)
}
