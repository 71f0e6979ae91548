package workflows

import (
	"encoding/json"
	"math"
	"slices"
	"time"

	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

func endpointTable() *object[Endpoint] {
	return &object[Endpoint]{
		name: "provider", what: "a provider", doc: "A service that speaks a known wire format.",
		fields: []field[Endpoint]{
			key("api", oneOf("openai-responses", "openai-chat", "anthropic", "google", "azure", "ollama"), func(e *Endpoint) *string { return &e.API }, "The wire format.").must(),
			key("base_url", text(), func(e *Endpoint) *string { return &e.BaseURL }, "Where the service is."),
			key("api_key_env", text(), func(e *Endpoint) *string { return &e.APIKeyEnv }, "The environment variable that holds the key."),
			key("headers", mapOf("headers", text()), func(e *Endpoint) *map[string]string { return &e.Headers }, "Headers of every request."),
			key("body", requestBody(), func(e *Endpoint) *json.RawMessage { return &e.Body }, "Fields for the body of every request: each is added, or put in the place of flow's own; null leaves one out."),
			key("structured_output", pointer(boolean()), func(e *Endpoint) **bool { return &e.StructuredOutput }, "Whether its models obey a JSON Schema, with tools too. Default: what is known of the service."),
			key("reasoning_content", pointer(boolean()), func(e *Endpoint) **bool { return &e.ReasoningContent }, "Of openai-chat: whether what a model thought goes back to it as reasoning_content, with every answer. Default: what is known of the service and the model."),
			key("context", wholeNumber(256), func(e *Endpoint) *int { return &e.Context }, "The window of its models in tokens, in and out. Default: what is known of the model."),
			key("models", mapOf("models", modelTable().shape(zero)), func(e *Endpoint) *map[string]Model { return &e.Models }, "What is known of its models, by name, in place of what flow knows."),
			key("max_concurrent", wholeNumber(1), func(e *Endpoint) *int { return &e.MaxConcurrent }, "Requests at the same time."),
			key("requests_per_minute", wholeNumber(1), func(e *Endpoint) *int { return &e.RequestsPerMinute }, "Requests in a minute."),
			key("tokens_per_minute", wholeNumber(1), func(e *Endpoint) *int { return &e.TokensPerMinute }, "Tokens in a minute, in and out."),
		},
	}
}

// requestBody is a map of additional fields for the requests to an endpoint. Fields for
// the model and the conversation can't be among them.
func requestBody() shape[json.RawMessage] {
	own := []string{"model", "messages", "input", "contents", "system", "instructions", "tools"}
	fields := mapNode("a body must be a map of fields", "such as {provider: {order: [groq]}}")
	return shape[json.RawMessage]{
		read: func(p *parser, n *tree.Node) (json.RawMessage, bool) {
			if _, ok := fields.read(p, n); !ok {
				return nil, false
			}
			for _, e := range n.Entries {
				if slices.Contains(own, e.Key.Text) {
					p.Errorf(e.Key, diagnostic.CodeValue, "the field %q of a request is written by flow, and can't be set", e.Key.Text)
				}
			}
			p.noExpressionIn(n)
			text, err := tree.CompactJSON(n.Data())
			if err != nil {
				p.Errorf(n, diagnostic.CodeValue, "%s", err)
			}
			return json.RawMessage(text), err == nil
		},
		schema: fixed(map[string]any{"type": "object", "propertyNames": map[string]any{"not": map[string]any{"enum": own}}}),
	}
}

// efforts are the words for how hard a model thinks, the least first.
func efforts() []string {
	return []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}
}

func modelTable() *object[Model] {
	return &object[Model]{
		name: "known_model", what: "a model", doc: "What is known of a model.",
		fields: []field[Model]{
			key("context", bigNumber(256), func(m *Model) *int64 { return &m.Context }, "Its window in tokens, in and out."),
			key("output", bigNumber(1), func(m *Model) *int64 { return &m.Output }, "The longest answer in tokens."),
			key("price", pointer(priceTable().shape(zero)), func(m *Model) **Price { return &m.Price }, "USD for a million tokens, unless prices has one."),
			key("tools", pointer(boolean()), func(m *Model) **bool { return &m.Tools }, "Whether it calls tools."),
			key("structured", pointer(boolean()), func(m *Model) **bool { return &m.Structured }, "Whether it obeys a JSON Schema, with tools too."),
			key("temperature", pointer(boolean()), func(m *Model) **bool { return &m.Temperature }, "Whether it takes a temperature."),
			key("reasoning", pointer(either(isMap, thinkingTable().shape(zero), thinkingList())), func(m *Model) **Reasoning { return &m.Reasoning }, "The efforts that it takes, none of them if it does not think; or a map, for a budget of tokens."),
			key("modalities", listOf("modalities", oneOf("text", "image", "audio", "video", "pdf")), func(m *Model) *[]string { return &m.Modalities }, "What it reads. flow sends text."),
		},
	}
}

// thinkingTable is the long form of a model's reasoning. An empty map is for a model that thinks
// as it likes.
func thinkingTable() *object[Reasoning] {
	return &object[Reasoning]{
		name: "thinking", what: "reasoning", doc: "How a model's reasoning is set.",
		fields: []field[Reasoning]{
			key("efforts", listOf("efforts", oneOf(efforts()...)), func(r *Reasoning) *[]string { return &r.Efforts }, "The efforts that it takes."),
			key("budget", boolean(), func(r *Reasoning) *bool { return &r.Budget }, "It takes a number of tokens."),
			key("least", wholeNumber(1), func(r *Reasoning) *int { return &r.Least }, "The smallest budget."),
			key("most", wholeNumber(1), func(r *Reasoning) *int { return &r.Most }, "The largest budget."),
		},
	}
}

func thinkingList() shape[Reasoning] {
	return mapped(listOf("reasoning", oneOf(efforts()...)), func(list []string) Reasoning {
		return Reasoning{None: len(list) == 0, Efforts: list}
	})
}

func priceTable() *object[Price] {
	return &object[Price]{
		name: "price", what: "a price", doc: "USD for a million tokens.",
		fields: append(priceFields(func(p *Price) *Price { return p }),
			key("above", listOf("above", tierTable().shape(zero)), func(p *Price) *[]Tier { return &p.Above }, "Prices of longer requests, the shortest first.")),
	}
}

func tierTable() *object[Tier] {
	return &object[Tier]{
		name: "price_above", what: "a price of long requests", doc: "What the whole of a request costs whose input is longer.",
		fields: append([]field[Tier]{
			key("tokens", bigNumber(1), func(t *Tier) *int64 { return &t.Tokens }, "It holds for requests with more tokens than these.").must(),
		}, priceFields(func(t *Tier) *Price { return &t.Price })...),
	}
}

func priceFields[T any](at func(*T) *Price) []field[T] {
	dollars := decimal(0, math.Inf(1))
	return []field[T]{
		key("input", dollars, func(t *T) *float64 { return &at(t).Input }, "Tokens that are sent.").must(),
		key("output", dollars, func(t *T) *float64 { return &at(t).Output }, "Tokens that come back.").must(),
		key("cached_input", pointer(dollars), func(t *T) **float64 { return &at(t).CachedInput }, "Tokens that the service had kept. Default: as input."),
		key("cache_write", pointer(dollars), func(t *T) **float64 { return &at(t).CacheWrite }, "Tokens that the service is to keep. Default: as input."),
		key("cache_write_1h", pointer(dollars), func(t *T) **float64 { return &at(t).CacheWrite1h }, "Tokens that it is to keep for an hour. Default: 1.6 times cache_write."),
	}
}

func budgetTable() *object[Budget] {
	return &object[Budget]{name: "budget", what: "budget", doc: "Bounds for the whole run.", fields: budgetFields()}
}

func budgetFields() []field[Budget] {
	return []field[Budget]{
		key("cost_usd", decimal(0, math.Inf(1)), func(b *Budget) *float64 { return &b.CostUSD }, "US dollars."),
		key("tokens", bigNumber(1), func(b *Budget) *int64 { return &b.Tokens }, "Tokens, in and out."),
		key("time", span(), func(b *Budget) *time.Duration { return &b.Time }, "From start to end."),
	}
}

// stepBudgetTable is the budget of a step.
func stepBudgetTable() *object[Budget] {
	onLimit := key("on_limit", mapped(oneOf("fail", "continue"), func(s string) bool { return s == "continue" }), func(b *Budget) *bool { return &b.GoesOn }, "continue: once it is used up nothing more begins inside the step, and that counts as success. Default fail.")
	return &object[Budget]{name: "step_budget", what: "the budget of a step", doc: "Bounds for what is inside a step.", fields: append(budgetFields(), onLimit)}
}

// newCustomTool starts a tool without arguments.
func newCustomTool(*parser, *tree.Node) CustomTool {
	return CustomTool{Parameters: json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)}
}

func customTable() *object[CustomTool] {
	return &object[CustomTool]{
		name: "custom_tool", what: "a custom tool", doc: "A command that a model may call as a tool.",
		fields: []field[CustomTool]{
			key("description", text(), func(t *CustomTool) *string { return &t.Description }, "What the model is told of it.").must(),
			key("parameters", jsonSchema(), func(t *CustomTool) *json.RawMessage { return &t.Parameters }, "JSON Schema of the arguments. Default: none."),
			{
				key: "run", doc: "An argument list, run without a shell; or a script for the shell.", required: true,
				schema: fixed(map[string]any{"anyOf": []any{
					map[string]any{"type": "string"},
					map[string]any{"type": "array", "items": map[string]any{"type": []any{"string", "number", "boolean"}}, "minItems": 1},
				}}),
				read: readCommand,
			},
			key("held", boolean(), func(t *CustomTool) *bool { return &t.Held }, "It is held to the workspace, whatever the rules for writing say. Default false."),
			key("reads", boolean(), func(t *CustomTool) *bool { return &t.Reads }, "It changes nothing: calls run side by side, and one that was in flight when flow was killed is made again. Default false."),
		},
	}
}

func readCommand(p *parser, n *tree.Node, t *CustomTool) {
	if n.Kind == tree.KindString {
		t.Script = p.shellScript(n)
		return
	}
	args, ok := listOf("run", templateText()).read(p, n)
	if ok && len(args) == 0 {
		p.Errorf(n, diagnostic.CodeValue, "run names no command")
	}
	t.Args = args
}

func newServer(*parser, *tree.Node) Server {
	return Server{StartupTimeout: 30 * time.Second, Timeout: time.Minute}
}

func serverTable() *object[Server] {
	return &object[Server]{
		name: "mcp_server", what: "an MCP server", doc: "A tool server: a command, or a URL.",
		fields: []field[Server]{
			key("command", listOf("command", templateText()), func(s *Server) *[]*Template { return &s.Command }, "The command that starts it, an argument list."),
			key("env", mapOf("env", templateText()), func(s *Server) *map[string]*Template { return &s.Env }, "Its environment."),
			key("url", templateText(), func(s *Server) **Template { return &s.URL }, "Where it is reached."),
			key("headers", mapOf("headers", templateText()), func(s *Server) *map[string]*Template { return &s.Headers }, "Headers of every request."),
			key("required", boolean(), func(s *Server) *bool { return &s.Required }, "Nothing runs when it does not start."),
			key("held", boolean(), func(s *Server) *bool { return &s.Held }, "It sees what commands of models see, and changes only the folders that the write rules at the top of the file name. Default false."),
			key("startup_timeout", span(), func(s *Server) *time.Duration { return &s.StartupTimeout }, "Default 30s."),
			key("timeout", span(), func(s *Server) *time.Duration { return &s.Timeout }, "Of one call. Default 60s."),
		},
	}
}
