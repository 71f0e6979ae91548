package script

import (
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/providers"
)

// A Scene is what a turn sees: the conversation so far, as text.
type Scene struct {
	Prompt   string    `json:"prompt"` // of the step, rendered
	System   string    `json:"system"`
	Turn     int       `json:"turn"`    // counts from 1 in each conversation
	Results  []Result  `json:"results"` // the answers to the last calls, in the order of the calls
	Messages []Message `json:"messages"`
	Tools    []Tool    `json:"tools"` // none if the model must not call any
}

// A Result is the answer to one call.
type Result struct {
	Name    string  `json:"name"`    // of the tool
	Content string  `json:"content"` // as the model sees it
	Error   *string `json:"error"`   // why the call failed or was refused; nil for a successful one
}

// A Message is one message of the conversation, as text.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"` // its texts, or its results on a line each
}

// A Tool is one that the model may call.
type Tool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Parameters  any    `json:"parameters"` // the JSON Schema, decoded
}

// Env returns the scene by the names that expressions use: those of its JSON, as plain maps, lists,
// strings and numbers.
func (s Scene) Env() map[string]any {
	var env map[string]any
	data, err := jsonline.Encode(s)
	if err == nil {
		err = jsonline.Decode(data, &env)
	}
	if err != nil {
		panic(err) // it is made of texts, and of decoded JSON
	}
	return env
}

// sceneOf returns the scene of a request, for the given turn.
func sceneOf(req providers.Request, turn int) (Scene, error) {
	scene := Scene{Prompt: req.Prompt, System: req.System, Turn: turn, Results: []Result{}, Messages: []Message{}, Tools: []Tool{}}
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
	results := []Result{}
	for _, b := range m.Of(providers.BlockToolResult) {
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
