package ollama

import (
	"encoding/json"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// A request is the body of a request.
type request struct {
	Model    string          `json:"model"`
	Messages []message       `json:"messages"`
	Tools    []tool          `json:"tools,omitempty"`
	Format   json.RawMessage `json:"format,omitempty"`
	Think    any             `json:"think,omitempty"` // false, or how hard
	Options  sampling        `json:"options,omitzero"`
	Stream   bool            `json:"stream"`

	// False: a prompt that is too long is an error instead of being truncated, and so is an
	// answer for which the context would have to be shifted.
	Truncate bool `json:"truncate"`
	Shift    bool `json:"shift"`
}

type sampling struct {
	Temperature *float64 `json:"temperature,omitempty"`
	TopP        *float64 `json:"top_p,omitempty"`
	Seed        *int64   `json:"seed,omitempty"`
	NumPredict  int      `json:"num_predict,omitempty"`
}

type tool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

func (m *Model) request(req providers.Request) request {
	r := request{
		Model: m.at.Model, Messages: m.messages(req), Tools: tools(req), Think: think(req.Params.Effort()), Stream: true,
		Options: sampling{
			Temperature: req.Params.Temperature, TopP: req.Params.TopP, Seed: req.Params.Seed,
			NumPredict: req.Params.MaxOutputTokens,
		},
	}
	if req.Output != nil {
		r.Format = req.Output.Schema
	}
	return r
}

// think translates an effort: the API has three, and takes false for none.
func think(effort string) any {
	switch effort {
	case "":
		return nil
	case "none":
		return false
	case "minimal":
		return "low"
	case "xhigh", "max":
		return "high"
	}
	return effort
}

// tools returns the tools that may be called: the API has no other way to choose.
func tools(req providers.Request) []tool {
	var list []tool
	for _, t := range req.Tools {
		if req.NoTools || req.Force != "" && t.Name != req.Force {
			continue
		}
		list = append(list, tool{Type: "function", Function: function{t.Name, t.Description, wire.Parameters(t.Parameters)}})
	}
	return list
}
