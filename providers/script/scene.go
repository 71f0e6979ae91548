package script

import (
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/providers"
)

// A Scene is what a turn sees: the conversation so far, as text.
type Scene struct {
	Prompt   string // of the step, rendered
	System   string
	Turn     int      // counts from 1 in each conversation
	Results  []Result // the answers to the last calls, in the order of the calls
	Messages []Message
	Tools    []Tool // none if the model must not call any
}

// A Result is the answer to one call.
type Result struct {
	Name    string  // of the tool
	Content string  // as the model sees it
	Error   *string // why the call failed or was refused; nil for a successful one
}

// A Message is one message of the conversation, as text.
type Message struct {
	Role    string
	Content string // its texts, or its results on a line each
}

// A Tool is one that the model may call.
type Tool struct {
	Name        string
	Description string
	Parameters  any // the JSON Schema, decoded
}

// Env returns the scene by the names that expressions use: prompt, system,
// turn, results, messages and tools, as plain maps, lists, strings and numbers.
func (s Scene) Env() map[string]any {
	results := make([]any, len(s.Results))
	for i, r := range s.Results {
		results[i] = map[string]any{"name": r.Name, "content": r.Content, "error": optional(r.Error)}
	}
	messages := make([]any, len(s.Messages))
	for i, m := range s.Messages {
		messages[i] = map[string]any{"role": m.Role, "content": m.Content}
	}
	tools := make([]any, len(s.Tools))
	for i, t := range s.Tools {
		tools[i] = map[string]any{"name": t.Name, "description": t.Description, "parameters": t.Parameters}
	}
	return map[string]any{
		"prompt": s.Prompt, "system": s.System, "turn": s.Turn,
		"results": results, "messages": messages, "tools": tools,
	}
}

// optional returns the string, or nil, which a nil pointer in an any is not.
func optional(s *string) any {
	if s == nil {
		return nil
	}
	return *s
}

// sceneOf returns the scene of a request, for the given turn.
func sceneOf(req providers.Request, turn int) (Scene, error) {
	scene := Scene{Prompt: req.Prompt, System: req.System, Turn: turn}
	for _, m := range req.Messages {
		scene.Messages = append(scene.Messages, Message{Role: string(m.Role), Content: content(m)})
		if m.Role == providers.RoleTool {
			scene.Results = results(m)
		}
	}
	if req.NoTools {
		return scene, nil
	}
	for _, t := range req.Tools {
		tool := Tool{Name: t.Name, Description: t.Description}
		if len(t.Parameters) > 0 {
			var err error
			if tool.Parameters, err = jsonline.DecodeExact(t.Parameters); err != nil {
				return Scene{}, err
			}
		}
		scene.Tools = append(scene.Tools, tool)
	}
	return scene, nil
}

func results(m providers.Message) []Result {
	var results []Result
	for _, b := range m.Blocks {
		if b.Type != providers.BlockToolResult {
			continue
		}
		r := Result{Name: b.Name, Content: b.Content}
		if b.Error {
			r.Error = &b.Content
		}
		results = append(results, r)
	}
	return results
}

func content(m providers.Message) string {
	lines := make([]string, 0, len(m.Blocks))
	for _, r := range results(m) {
		lines = append(lines, r.Content)
	}
	if len(lines) == 0 {
		return m.Text()
	}
	return strings.Join(lines, "\n")
}
