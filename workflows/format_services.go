package workflows

import (
	"encoding/json"
	"math"
	"slices"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/format"
	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

func endpointTable() *format.Object[Endpoint] {
	return &format.Object[Endpoint]{
		Name: "provider", What: "a provider", Doc: "A service that speaks a known wire format.",
		Fields: []format.Field[Endpoint]{
			format.Key("api", format.OneOf("openai-responses", "openai-chat", "anthropic", "google", "azure", "ollama"), func(e *Endpoint) *string { return &e.API }, "The wire format.").Must(),
			format.Key("base_url", format.Text(), func(e *Endpoint) *string { return &e.BaseURL }, "Where the service is."),
			format.Key("api_key_env", format.Text(), func(e *Endpoint) *string { return &e.APIKeyEnv }, "The environment variable that holds the key."),
			format.Key("headers", format.MapOf("headers", format.Text()), func(e *Endpoint) *map[string]string { return &e.Headers }, "Headers of every request."),
			format.Key("body", requestBody(), func(e *Endpoint) *json.RawMessage { return &e.Body }, "Fields for the body of every request: each is added, or put in the place of flow's own; null leaves one out."),
			format.Key("structured_output", format.Pointer(format.Boolean()), func(e *Endpoint) **bool { return &e.StructuredOutput }, "Whether its models obey a JSON Schema, with tools too. Default: what is known of the service."),
			format.Key("reasoning_content", format.Pointer(format.Boolean()), func(e *Endpoint) **bool { return &e.ReasoningContent }, "Of openai-chat: whether what a model thought goes back to it as reasoning_content, with every answer. Default: what is known of the service and the model."),
			format.Key("context", format.WholeNumber(256), func(e *Endpoint) *int { return &e.Context }, "The window of its models in tokens, in and out. Default: what is known of the model."),
			format.Key("models", format.MapOf("models", modelTable().Shape(nil)), func(e *Endpoint) *map[string]Model { return &e.Models }, "What is known of its models, by name, in place of what flow knows."),
			format.Key("max_concurrent", format.WholeNumber(1), func(e *Endpoint) *int { return &e.MaxConcurrent }, "Requests at the same time."),
			format.Key("requests_per_minute", format.WholeNumber(1), func(e *Endpoint) *int { return &e.RequestsPerMinute }, "Requests in a minute."),
			format.Key("tokens_per_minute", format.WholeNumber(1), func(e *Endpoint) *int { return &e.TokensPerMinute }, "Tokens in a minute, in and out."),
		},
	}
}

// requestBody is a map of additional fields for the requests to an endpoint. Fields for
// the model and the conversation can't be among them.
func requestBody() format.Shape[json.RawMessage] {
	own := []string{"model", "messages", "input", "contents", "system", "instructions", "tools"}
	fields := format.Map("a body must be a map of fields", "such as {provider: {order: [groq]}}")
	return format.Shape[json.RawMessage]{
		Read: func(r *format.Reader, n *tree.Node) (json.RawMessage, bool) {
			p := parserOf(r)
			if _, ok := fields.Read(p.Reader, n); !ok {
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
		Schema: format.Fixed(map[string]any{"type": "object", "propertyNames": map[string]any{"not": map[string]any{"enum": own}}}),
	}
}

// efforts are the words for how hard a model thinks, the least first.
func efforts() []string {
	return []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}
}

func modelTable() *format.Object[Model] {
	return &format.Object[Model]{
		Name: "known_model", What: "a model", Doc: "What is known of a model.",
		Fields: []format.Field[Model]{
			format.Key("context", format.BigNumber(256), func(m *Model) *int64 { return &m.Context }, "Its window in tokens, in and out."),
			format.Key("output", format.BigNumber(1), func(m *Model) *int64 { return &m.Output }, "The longest answer in tokens."),
			format.Key("price", format.Pointer(priceTable().Shape(nil)), func(m *Model) **Price { return &m.Price }, "USD for a million tokens, unless prices has one."),
			format.Key("tools", format.Pointer(format.Boolean()), func(m *Model) **bool { return &m.Tools }, "Whether it calls tools."),
			format.Key("structured", format.Pointer(format.Boolean()), func(m *Model) **bool { return &m.Structured }, "Whether it obeys a JSON Schema, with tools too."),
			format.Key("temperature", format.Pointer(format.Boolean()), func(m *Model) **bool { return &m.Temperature }, "Whether it takes a temperature."),
			format.Key("reasoning", format.Pointer(format.Either(format.IsMap, thinkingTable().Shape(nil), thinkingList())), func(m *Model) **Reasoning { return &m.Reasoning }, "The efforts that it takes, none of them if it does not think; or a map, for a budget of tokens."),
			format.Key("modalities", format.ListOf("modalities", format.OneOf("text", "image", "audio", "video", "pdf")), func(m *Model) *[]string { return &m.Modalities }, "What it reads. flow sends text."),
		},
	}
}

// thinkingTable is the long form of a model's reasoning. An empty map is for a model that thinks
// as it likes.
func thinkingTable() *format.Object[Reasoning] {
	return &format.Object[Reasoning]{
		Name: "thinking", What: "reasoning", Doc: "How a model's reasoning is set.",
		Fields: []format.Field[Reasoning]{
			format.Key("efforts", format.ListOf("efforts", format.OneOf(efforts()...)), func(r *Reasoning) *[]string { return &r.Efforts }, "The efforts that it takes."),
			format.Key("budget", format.Boolean(), func(r *Reasoning) *bool { return &r.Budget }, "It takes a number of tokens."),
			format.Key("least", format.WholeNumber(1), func(r *Reasoning) *int { return &r.Least }, "The smallest budget."),
			format.Key("most", format.WholeNumber(1), func(r *Reasoning) *int { return &r.Most }, "The largest budget."),
		},
	}
}

func thinkingList() format.Shape[Reasoning] {
	return format.Mapped(format.ListOf("reasoning", format.OneOf(efforts()...)), func(list []string) Reasoning {
		return Reasoning{None: len(list) == 0, Efforts: list}
	})
}

func priceTable() *format.Object[Price] {
	return &format.Object[Price]{
		Name: "price", What: "a price", Doc: "USD for a million tokens.",
		Fields: append(priceFields(func(p *Price) *Price { return p }),
			format.Key("above", format.ListOf("above", tierTable().Shape(nil)), func(p *Price) *[]Tier { return &p.Above }, "Prices of longer requests, the shortest first.")),
	}
}

func tierTable() *format.Object[Tier] {
	return &format.Object[Tier]{
		Name: "price_above", What: "a price of long requests", Doc: "What the whole of a request costs whose input is longer.",
		Fields: append([]format.Field[Tier]{
			format.Key("tokens", format.BigNumber(1), func(t *Tier) *int64 { return &t.Tokens }, "It holds for requests with more tokens than these.").Must(),
		}, priceFields(func(t *Tier) *Price { return &t.Price })...),
	}
}

func priceFields[T any](at func(*T) *Price) []format.Field[T] {
	dollars := format.Decimal(0, math.Inf(1))
	return []format.Field[T]{
		format.Key("input", dollars, func(t *T) *float64 { return &at(t).Input }, "Tokens that are sent.").Must(),
		format.Key("output", dollars, func(t *T) *float64 { return &at(t).Output }, "Tokens that come back.").Must(),
		format.Key("cached_input", format.Pointer(dollars), func(t *T) **float64 { return &at(t).CachedInput }, "Tokens that the service had kept. Default: as input."),
		format.Key("cache_write", format.Pointer(dollars), func(t *T) **float64 { return &at(t).CacheWrite }, "Tokens that the service is to keep. Default: as input."),
		format.Key("cache_write_1h", format.Pointer(dollars), func(t *T) **float64 { return &at(t).CacheWrite1h }, "Tokens that it is to keep for an hour. Default: 1.6 times cache_write."),
	}
}

func budgetTable() *format.Object[Budget] {
	return &format.Object[Budget]{Name: "budget", What: "budget", Doc: "Bounds for the whole run.", Fields: budgetFields()}
}

func budgetFields() []format.Field[Budget] {
	return []format.Field[Budget]{
		format.Key("cost_usd", format.Decimal(0, math.Inf(1)), func(b *Budget) *float64 { return &b.CostUSD }, "US dollars."),
		format.Key("tokens", format.BigNumber(1), func(b *Budget) *int64 { return &b.Tokens }, "Tokens, in and out."),
		format.Key("time", format.Span(), func(b *Budget) *time.Duration { return &b.Time }, "From start to end."),
	}
}

// stepBudgetTable is the budget of a step.
func stepBudgetTable() *format.Object[Budget] {
	onLimit := format.Key("on_limit", format.Mapped(format.OneOf("fail", "continue"), func(s string) bool { return s == "continue" }), func(b *Budget) *bool { return &b.GoesOn }, "continue: once it is used up nothing more begins inside the step, and that counts as success. Default fail.")
	return &format.Object[Budget]{Name: "step_budget", What: "the budget of a step", Doc: "Bounds for what is inside a step.", Fields: append(budgetFields(), onLimit)}
}

// customTools are commands that models may call, by name.
func customTools() format.Shape[map[string]*CustomTool] {
	one := customTable().Shape(func(_ *format.Reader, n *tree.Node) CustomTool {
		return CustomTool{Parameters: json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`), node: n}
	})
	return namedMap("custom_tools", one, func(t *CustomTool, name *tree.Node) {
		t.Name, t.Pos, t.Sum = name.Text, name.Position(), sumOf(t.node)
	})
}

func customTable() *format.Object[CustomTool] {
	return &format.Object[CustomTool]{
		Name: "custom_tool", What: "a custom tool", Doc: "A command that a model may call as a tool.",
		Fields: []format.Field[CustomTool]{
			format.Key("description", format.Text(), func(t *CustomTool) *string { return &t.Description }, "What the model is told of it.").Must(),
			format.Key("parameters", jsonSchema(), func(t *CustomTool) *json.RawMessage { return &t.Parameters }, "JSON Schema of the arguments. Default: none."),
			{
				Key: "run", Doc: "An argument list, run without a shell; or a script for the shell.", Required: true,
				Schema: format.Fixed(map[string]any{"anyOf": []any{
					map[string]any{"type": "string"},
					map[string]any{"type": "array", "items": map[string]any{"type": []any{"string", "number", "boolean"}}, "minItems": 1},
				}}),
				Read: readCommand,
			},
			format.Key("held", format.Boolean(), func(t *CustomTool) *bool { return &t.Held }, "It is held to the workspace, whatever the rules for writing say. Default false."),
			format.Key("reads", format.Boolean(), func(t *CustomTool) *bool { return &t.Reads }, "It changes nothing: calls run side by side, and one that was in flight when flow was killed is made again. Default false."),
		},
	}
}

func readCommand(r *format.Reader, n *tree.Node, t *CustomTool) {
	p := parserOf(r)
	if n.Kind == tree.KindString {
		t.Script = p.shellScript(n)
		return
	}
	args, ok := format.ListOf("run", templateText()).Read(p.Reader, n)
	if ok && len(args) == 0 {
		p.Errorf(n, diagnostic.CodeValue, "run names no command")
	}
	t.Args = args
}

// servers are MCP servers by name.
func servers() format.Shape[map[string]*Server] {
	one := serverTable().Shape(func(*format.Reader, *tree.Node) Server {
		return Server{StartupTimeout: 30 * time.Second, Timeout: time.Minute}
	})
	return namedMap("mcp", one, func(s *Server, name *tree.Node) { s.Name, s.Pos = name.Text, name.Position() })
}

func serverTable() *format.Object[Server] {
	return &format.Object[Server]{
		Name: "mcp_server", What: "an MCP server", Doc: "A tool server: a command, or a URL.",
		Fields: []format.Field[Server]{
			format.Key("command", format.ListOf("command", templateText()), func(s *Server) *[]*Template { return &s.Command }, "The command that starts it, an argument list."),
			format.Key("env", format.MapOf("env", templateText()), func(s *Server) *map[string]*Template { return &s.Env }, "Its environment."),
			format.Key("url", templateText(), func(s *Server) **Template { return &s.URL }, "Where it is reached."),
			format.Key("headers", format.MapOf("headers", templateText()), func(s *Server) *map[string]*Template { return &s.Headers }, "Headers of every request."),
			format.Key("required", format.Boolean(), func(s *Server) *bool { return &s.Required }, "Nothing runs when it does not start."),
			format.Key("held", format.Boolean(), func(s *Server) *bool { return &s.Held }, "It sees what commands of models see, and changes only the folders that the write rules at the top of the file name. Default false."),
			format.Key("startup_timeout", format.Span(), func(s *Server) *time.Duration { return &s.StartupTimeout }, "Default 30s."),
			format.Key("timeout", format.Span(), func(s *Server) *time.Duration { return &s.Timeout }, "Of one call. Default 60s."),
		},
	}
}
