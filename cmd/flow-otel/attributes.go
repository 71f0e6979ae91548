package main

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

// An agent is what the work of an attempt says of it.
type agent struct {
	Models []string `json:"models"`
	System string   `json:"system"`
	Prompt string   `json:"prompt"`
}

func (a *agent) model() string {
	if a == nil || len(a.Models) == 0 {
		return ""
	}
	return a.Models[0]
}

func attributes(all ...attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributes(all...)
}

// The attributes are named by the semantic conventions of gen_ai.
const (
	operation     = attribute.Key("gen_ai.operation.name")
	provider      = attribute.Key("gen_ai.provider.name")
	requestModel  = attribute.Key("gen_ai.request.model")
	responseModel = attribute.Key("gen_ai.response.model")
)

// modelAttributes tell of a model by its reference, provider/model.
func modelAttributes(key attribute.Key, ref string) []attribute.KeyValue {
	service, model, _ := strings.Cut(ref, "/")
	for ours, theirs := range map[string]string{"google": "gcp.gemini", "vertex": "gcp.vertex_ai", "azure": "azure.ai.openai"} {
		if service == ours {
			service = theirs
		}
	}
	return []attribute.KeyValue{provider.String(service), key.String(model)}
}

func (t *told) agentAttributes(path string, a *agent) []attribute.KeyValue {
	all := append(modelAttributes(requestModel, a.model()), operation.String("invoke_agent"), attribute.String("gen_ai.agent.name", path))
	if t.contents {
		all = append(all, attribute.String("gen_ai.system_instructions", jsonOf([]part{{Type: "text", Content: a.System}})),
			attribute.String("gen_ai.input.messages", jsonOf([]message{{"user", []part{{Type: "text", Content: a.Prompt}}}})))
	}
	return all
}

func (t *told) turnAttributes(attempt string, a *agent, answer *steps.Answer) []attribute.KeyValue {
	asked := cmp.Or(a.model(), answer.Message.Model)
	all := append(modelAttributes(requestModel, asked), modelAttributes(responseModel, answer.Message.Model)...)
	all = append(all, operation.String("chat"), attribute.String("gen_ai.conversation.id", attempt), attribute.Int("flow.turn", answer.Turn))
	if answer.Message.Finish != "" {
		all = append(all, attribute.StringSlice("gen_ai.response.finish_reasons", []string{string(answer.Message.Finish)}))
	}
	if t.contents {
		all = append(all, attribute.String("gen_ai.output.messages", jsonOf([]message{{"assistant", partsOf(answer.Message)}})))
	}
	return all
}

func (t *told) callAttributes(id, tool string, arguments []byte) []attribute.KeyValue {
	all := []attribute.KeyValue{operation.String("execute_tool"), attribute.String("gen_ai.tool.name", tool), attribute.String("gen_ai.tool.call.id", id), attribute.String("gen_ai.tool.type", "function")}
	if t.contents {
		all = append(all, attribute.String("gen_ai.tool.call.arguments", string(arguments)))
	}
	return all
}

// tellUsage tells what a record says was used.
func (s *span) tellUsage(used *steps.Used) {
	if used == nil {
		return
	}
	if u := used.Usage; u != nil {
		s.SetAttributes(attribute.Int64("gen_ai.usage.input_tokens", u.InputTokens), attribute.Int64("gen_ai.usage.output_tokens", u.OutputTokens),
			attribute.Int64("gen_ai.usage.cache_read.input_tokens", u.CachedInputTokens))
	}
	if used.CostUSD != nil {
		s.SetAttributes(attribute.Float64("flow.cost_usd", *used.CostUSD))
	}
}

// measure adds a turn to the metrics.
func (t *told) measure(answer *steps.Answer, r *journal.Record, took time.Duration) {
	about := append(modelAttributes(requestModel, answer.Message.Model), operation.String("chat"))
	ctx := context.Background()
	t.operations.Record(ctx, took.Seconds(), attributes(about...))
	if r.Used == nil {
		return
	}
	if u := r.Used.Usage; u != nil {
		const kind = attribute.Key("gen_ai.token.type")
		t.tokens.Record(ctx, u.InputTokens, attributes(append(about[:len(about):len(about)], kind.String("input"))...))
		t.tokens.Record(ctx, u.OutputTokens, attributes(append(about[:len(about):len(about)], kind.String("output"))...))
	}
	if r.Used.CostUSD != nil {
		t.cost.Add(ctx, *r.Used.CostUSD, attributes(about...))
	}
}

// A message and its parts have the form of the semantic conventions.
type message struct {
	Role  string `json:"role"`
	Parts []part `json:"parts"`
}

type part struct {
	Type      string          `json:"type"`
	Content   string          `json:"content,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

func partsOf(m providers.Message) (parts []part) {
	for _, b := range m.Blocks {
		switch b.Type {
		case providers.BlockText:
			parts = append(parts, part{Type: "text", Content: b.Text})
		case providers.BlockThinking:
			parts = append(parts, part{Type: "reasoning", Content: b.Text})
		case providers.BlockToolCall:
			parts = append(parts, part{Type: "tool_call", ID: b.ID, Name: b.Name, Arguments: b.Arguments})
		}
	}
	return parts
}

// jsonOf returns a value as JSON; a model's arguments may be none, and are left out then.
func jsonOf(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return "null"
	}
	return string(text)
}
