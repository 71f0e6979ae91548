package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/providers"
)

// An Answer is one turn of a scripted model. The zero Answer is an empty answer.
type Answer struct {
	Thinking string
	Text     string // empty with Output
	Calls    []Call

	Output    any  // the text is this value as JSON, if HasOutput is set
	HasOutput bool // distinguishes an output of null from none

	Finish string           // stop, tool_calls, length or content_filter; the default depends on the calls
	Usage  *providers.Usage // nil: zero
	Delay  time.Duration    // before the answer starts
	Error  *Failure         // the request is refused, and the fields above are ignored
}

// A Call is a tool call. It gets an ID when it is played.
type Call struct {
	Name string
	// Arguments are encoded as JSON. Nil is an empty object; a string is the text of the
	// arguments as a model writes it, which may be invalid JSON.
	Arguments any
}

// A Failure is a request that the scripted service refuses.
type Failure struct {
	Status     int           // of HTTP; 0 for a connection that broke
	RetryAfter time.Duration // 0 where the service names no time
	Message    string
}

// err returns the failure as a provider would report it.
func (f *Failure) err(ref string) *providers.Error {
	if f.Status == 0 {
		message := f.Message
		if message == "" {
			message = "connection broken by the script"
		}
		return &providers.Error{Kind: providers.KindNetwork, Model: ref, Message: message, RetryAfter: f.RetryAfter, Retryable: true}
	}
	body, _ := json.Marshal(map[string]any{"error": map[string]string{"message": f.Message}}) // strings always marshal
	if f.Message == "" {
		body = nil
	}
	e := providers.ErrorFromResponse(ref, f.Status, nil, body)
	e.RetryAfter = f.RetryAfter
	return e
}

// message returns the answer as a message. IDs come from newID.
func (a Answer) message(ref string, newID func() string) (providers.Message, error) {
	m := providers.Message{Role: providers.RoleAssistant, Provider: providerName, Model: ref}
	if a.Usage != nil {
		m.Usage = *a.Usage
	}
	text, err := a.text()
	if err != nil {
		return m, err
	}
	if a.Thinking != "" {
		m.Blocks = append(m.Blocks, providers.Block{Type: providers.BlockThinking, Text: a.Thinking})
	}
	if text != "" {
		m.Blocks = append(m.Blocks, providers.Block{Type: providers.BlockText, Text: text})
	}
	for i, c := range a.Calls {
		arguments, err := c.arguments()
		if err != nil {
			return m, fmt.Errorf("call %d (%q): %w", i+1, c.Name, err)
		}
		m.Blocks = append(m.Blocks, providers.Block{Type: providers.BlockToolCall, ID: newID(), Name: c.Name, Arguments: arguments})
	}
	m.Finish, err = a.finish()
	return m, err
}

func (a Answer) text() (string, error) {
	if !a.HasOutput {
		return a.Text, nil
	}
	if a.Text != "" {
		return "", errors.New("both text and output; an answer has one of them")
	}
	output, err := jsonline.Encode(a.Output)
	if err != nil {
		return "", fmt.Errorf("output: %w", err)
	}
	return string(output), nil
}

func (a Answer) finish() (providers.Finish, error) {
	called := len(a.Calls) > 0
	switch finish := providers.Finish(a.Finish); finish {
	case providers.FinishLength, providers.FinishContentFilter:
		return finish, nil
	case "", providers.FinishStop, providers.FinishToolCalls:
		if called {
			return providers.FinishToolCalls, nil
		}
		if finish == providers.FinishToolCalls {
			return "", errors.New("finish tool_calls without a call")
		}
		return providers.FinishStop, nil
	}
	return "", fmt.Errorf("finish %q is not one of stop, tool_calls, length, content_filter", a.Finish)
}

func (c Call) arguments() (json.RawMessage, error) {
	switch v := c.Arguments.(type) {
	case nil:
		return json.RawMessage("{}"), nil
	case string:
		return json.RawMessage(v), nil
	}
	arguments, err := jsonline.Encode(c.Arguments)
	if err != nil {
		return nil, fmt.Errorf("arguments: %w", err)
	}
	return arguments, nil
}
