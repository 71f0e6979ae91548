package authority

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/workflows"
)

// Workflows in which one place, §, is said in two ways.
const (
	atTop     = "§\nsteps: [{id: a, model: p/m, prompt: x}]\n"
	inAgent   = "agents: {w: {system: y, §}}\nsteps: [{id: a, agent: w, prompt: x}]\n"
	inAsked   = "steps: [{id: a, model: p/m, prompt: x, §}]\n"
	inEach    = "steps: [{id: a, foreach: [1], run: make, §}]\n"
	inRun     = "steps: [{id: z, run: make}, {id: a, run: make, §}]\n"
	inGroup   = "steps: [{id: g, §}]\n"
	inTool    = "steps: [{id: a, model: p/m, prompt: x, tools: [{name: bash, §}]}]\n"
	inNested  = "steps: [{id: a, model: p/m, prompt: x, tools: [{name: t, §}]}]\n"
	inCheck   = "steps: [{id: a, model: p/m, prompt: x, checks: [{§}]}]\n"
	inStop    = "steps: [{id: a, model: p/m, prompt: x, stop: {§}}]\n"
	inSandbox = "sandbox: {§}\nsteps: [{id: a, run: make}]\n"
	inBudget  = "budget: {§}\nsteps: [{id: a, run: make}]\n"
	inPart    = "steps: [{id: a, foreach: [1], run: make, budget: {§}}]\n"
	inPrice   = "prices: {p/m: {§}}\nsteps: [{id: a, model: p/m, prompt: x}]\n"
	inCustom  = "custom_tools: {t: {description: d, run: [make], §}}\nsteps: [{id: a, model: p/m, prompt: x, tools: [t]}]\n"
	inServer  = "mcp: {s: {§}}\nsteps: [{id: a, model: p/m, prompt: x, tools: [s_t]}]\n"
	inService = "providers: {p: {api: openai-chat, base_url: \"https://p.example\", §}}\nsteps: [{id: a, model: p/m, prompt: x}]\n"
	inModel   = "providers: {p: {api: openai-chat, base_url: \"https://p.example\", models: {m: {§}}}}\nsteps: [{id: a, model: p/m, prompt: x}]\n"
	inAsk     = "steps: [{id: q, ask: Go?, §}]\n"
	inUse     = "steps: [{id: u, uses: inner.yaml, §}]\n"
	inRules   = "steps: [{id: a, model: p/m, prompt: x, tools: [bash], permissions: {bash: {§}}}]\n"
)

// long begins an expression of which a line does not show the end.
var long = "'\"" + strings.Repeat("x", 200) + "\" == "

// changesOfKeys has for each key of the format a change of its value that may let a
// workflow do more, or decides what it does.
var changesOfKeys = map[string]struct{ in, old, now string }{
	"agent.model": {inAgent, "model: p/m", "model: p/n"}, "agent.permissions": {inAgent, "model: p/m, tools: [write]", "model: p/m, tools: [write], permissions: {write: {\"**\": allow}}"},
	"agent.stop": {inAgent, "model: p/m", "model: p/m, stop: {max_turns: 90}"}, "agent.tools": {inAgent, "model: p/m", "model: p/m, tools: [bash]"},
	"budget.cost_usd": {inBudget, "cost_usd: 1", "cost_usd: 2"}, "budget.time": {inBudget, "time: 1m", "time: 2m"}, "budget.tokens": {inBudget, "tokens: 1", "tokens: 2"},
	"step_budget.cost_usd": {inPart, "cost_usd: 1", "cost_usd: 2"}, "step_budget.time": {inPart, "time: 1m", "time: 2m"}, "step_budget.tokens": {inPart, "tokens: 1", "tokens: 2"},
	"step.budget": {inEach, "budget: {tokens: 1}", ""},
	"check.expr":  {inCheck, "expr: " + long + "\"a\"'", "expr: " + long + "\"b\"'"}, "check.run": {inCheck, "run: make", "run: make all"}, "check.held": {inCheck, "run: make, held: true", "run: make, held: false"},
	"custom_tool.held": {inCustom, "held: true", "held: false"},
	"custom_tool.run":  {"custom_tools: {t: {description: d, run: [§]}}\nsteps: [{id: a, model: p/m, prompt: x, tools: [t]}]\n", "make", "make, all"},
	"grant.commands":   {inUse, "grant: {}", "grant: {commands: true}"}, "grant.env": {inUse, "grant: {}", "grant: {env: [A]}"}, "grant.secrets": {inUse, "grant: {}", "grant: {secrets: [A]}"},
	"grant.mcp": {inUse, "grant: {}", "grant: {mcp: [s]}"}, "grant.addresses": {inUse, "grant: {}", "grant: {addresses: [a.example]}"},
	"mcp_server.command": {inServer, "command: [a]", "command: [b]"}, "mcp_server.env": {inServer, "command: [a]", "command: [a], env: {A: b}"},
	"mcp_server.url": {inServer, "url: \"https://a.example\"", "url: \"https://b.example\""}, "mcp_server.headers": {inServer, "url: \"https://a.example\"", "url: \"https://a.example\", headers: {A: b}"},
	"mcp_server.held": {inServer, "command: [a], held: true", "command: [a]"}, "price.input": {inPrice, "input: 1, output: 1", "input: 0, output: 1"}, "price.output": {inPrice, "input: 1, output: 1", "input: 1, output: 0"},
	"known_model.price":    {inModel, "", "price: {input: 0, output: 0}"},
	"provider.api":         {"providers: {p: {base_url: \"https://p.example\", §}}\nsteps: [{id: a, model: p/m, prompt: x}]\n", "api: openai-chat", "api: ollama"},
	"provider.api_key_env": {inService, "", "api_key_env: TOKEN"}, "provider.body": {inService, "", "body: {store: true}"}, "provider.headers": {inService, "", "headers: {A: b}"},
	"provider.base_url": {"providers: {p: {api: openai-chat, base_url: §}}\nsteps: [{id: a, model: p/m, prompt: x}]\n", "https://p.example", "https://q.example"},
	"sandbox.caches":    {inSandbox, "", "caches: keep"}, "sandbox.level": {inSandbox, "", "level: landlock"}, "sandbox.network": {inSandbox, "network: none", ""}, "sandbox.partial": {inSandbox, "", "partial: true"},
	"sandbox.required": {inSandbox, "required: true", ""}, "sandbox.reveal": {inSandbox, "", "reveal: [~/.ssh]"}, "sandbox.write": {inSandbox, "write: [a]", "write: [a, b]"},
	"step.agent": {"agents: {w: {system: y}, v: {tools: [bash]}}\nsteps: [{id: b, model: p/m, agent: w, prompt: x}, {id: c, model: p/m, agent: v, prompt: x}, {id: a, model: p/m, prompt: x, §}]\n", "agent: w", "agent: v"},
	"step.when":  {inEach, "when: \"false\"", ""}, "step.ask": {"steps: [{id: q, ask: §}]\n", "Go?", "Stay?"}, "step.choices": {inAsk, "choices: [a, b]", "choices: [a, c]"}, "step.checks": {inAsked, "", "checks: [{expr: \"true\"}]"}, "step.model": {"steps: [{id: a, model: §, prompt: x}]\n", "p/m", "p/n"}, "step.permissions": {inAsked, "tools: [write]", "tools: [write], permissions: {write: {\"**\": allow}}"}, "step.stop": {inAsked, "", "stop: {max_turns: 9}"}, "step.tools": {inAsked, "", "tools: [bash]"}, "step.env": {inRun, "", "env: {A: b}"}, "step.held": {inRun, "held: true", ""}, "step.if": {inRun, "if: " + long + "\"a\"'", "if: " + long + "\"b\"'"}, "step.workspace": {inRun, "", "workspace: sub"}, "step.id": {"steps: [{run: make, §}]\n", "id: a", "id: b"}, "step.run": {"steps: [{id: a, run: §}]\n", "make", "make all"}, "step.tool": {"steps: [{id: a, tool: §, with: {filePath: x}}]\n", "read", "list"},
	"step.with": {"steps: [{id: a, tool: read, with: {filePath: §}}]\n", "a", "b"}, "step.uses": {"steps: [{id: a, uses: §}]\n", "inner.yaml", "other.yaml"}, "step.grant": {inUse, "", "grant: {commands: true}"},
	"step.steps": {inGroup, "steps: [{run: a}]", "steps: [{run: a}, {run: b}]"}, "stop.max_cost_usd": {inStop, "max_cost_usd: 1", "max_cost_usd: 2"}, "stop.max_tokens": {inStop, "max_tokens: 1", "max_tokens: 2"}, "stop.max_tool_calls": {inStop, "max_tool_calls: 1", "max_tool_calls: 2"}, "stop.max_turns": {inStop, "max_turns: 1", "max_turns: 2"},
	"stop.timeout": {inStop, "timeout: 1m", "timeout: 2m"}, "tool_entry.name": {"steps: [{id: a, model: p/m, prompt: x, tools: [{name: §}]}]\n", "read", "bash"}, "tool_entry.max_calls": {inTool, "max_calls: 1", "max_calls: 2"}, "tool_entry.with": {inTool, "with: {command: make}", "with: {command: make all}"},
	"tool_entry.workflow": {inNested, "workflow: inner.yaml", "workflow: other.yaml"}, "tool_entry.grant": {inNested, "workflow: inner.yaml", "workflow: inner.yaml, grant: {commands: true}"},
	"tool_rules.rules": {inRules, "rules: {make: allow}", "rules: {\"*\": allow}"},
	"workflow.agents":  {"§\nsteps: [{id: a, agent: w, model: p/m, prompt: x}]\n", "agents: {w: {system: y}}", "agents: {w: {tools: [bash]}}"},
	"workflow.budget":  {atTop, "budget: {tokens: 1}", ""}, "workflow.env": {atTop, "", "env: [A]"}, "workflow.custom_tools": {"§\nsteps: [{id: a, model: p/m, prompt: x, tools: [t]}]\n", "custom_tools: {t: {description: d, run: [a]}}", "custom_tools: {t: {description: d, run: [b]}}"},
	"workflow.instructions": {atTop, "", "instructions: AGENTS.md"},
	"workflow.mcp":          {"§\nsteps: [{id: a, model: p/m, prompt: x, tools: [s_t]}]\n", "mcp: {s: {command: [a]}}", "mcp: {s: {command: [b]}}"}, "workflow.model": {"§\nsteps: [{id: a, prompt: x}]\n", "model: p/m", "model: p/n"},
	"workflow.models": {"§\nsteps: [{id: a, model: m, prompt: x}]\n", "models: {m: p/m}", "models: {m: p/n}"}, "workflow.permissions": {"§\nsteps: [{id: a, model: p/m, prompt: x, tools: [write]}]\n", "", "permissions: {write: {\"**\": allow}}"}, "workflow.prices": {atTop, "", "prices: {p/m: {input: 0, output: 0}}"},
	"workflow.providers": {atTop, "", "providers: {p: {api: ollama}}"}, "workflow.sandbox": {atTop, "", "sandbox: off"}, "workflow.secrets": {atTop, "", "secrets: [A]"},
	"workflow.steps": {"steps: [{run: a}§]\n", "", ", {run: b}"}, "workflow.stop": {atTop, "", "stop: {max_turns: 9}"}, "workflow.tools": {atTop, "", "tools: [bash]"}, "workflow.workspace": {atTop, "", "workspace: sub"},
}

// onlyInFiles are the keys that no line has: they order, bound, decide or word what a recipe does. An
// update shows them as a changed workflow, which is wider.
const onlyInFiles = `
	agent.params agent.system cache.max_age context.trim custom_tool.parameters custom_tool.reads
	known_model.context known_model.modalities known_model.output known_model.reasoning known_model.structured
	known_model.temperature known_model.tools mcp_server.required mcp_server.startup_timeout mcp_server.timeout
	params.max_output_tokens params.reasoning params.seed params.temperature params.top_p provider.context
	provider.max_concurrent provider.models provider.reasoning_content provider.requests_per_minute
	provider.structured_output provider.tokens_per_minute reasoning.budget_tokens reasoning.effort retry.backoff
	retry.max_attempts retry.max_backoff step.as step.cache step.context step.default step.end step.foreach
	step.label step.max_failures step.max_fixes step.max_parallel step.max_rounds step.message step.needs
	step.on_denied step.on_error step.once step.output step.outputs step.params step.prompt step.prompt_file
	step.retry step.system step.timeout step.truncate step.until step_budget.on_limit stop.on_limit stop.on_tool
	stop.repeated_calls stop.when thinking.budget thinking.efforts thinking.least thinking.most workflow.cache
	workflow.context workflow.findings workflow.inputs workflow.name workflow.outputs workflow.params
	workflow.retry workflow.system workflow.truncate price.cache_write price.cached_input price.cache_write_1h
	price.above price_above.tokens price_above.input price_above.output price_above.cached_input
	price_above.cache_write price_above.cache_write_1h tool_entry.parallel tool_entry.truncate
	truncate.bytes truncate.keep truncate.line_chars truncate.lines
`

// grantNothing are the keys that are compared nowhere, and why.
var grantNothing = map[string]string{
	"workflow.description":    "it is said to people and, as a tool of another agent, to that one's model",
	"workflow.version":        "nothing reads it",
	"step.comment":            "it asks a person for a line of text, and allows nothing",
	"custom_tool.description": "it is said to models",
	"tool_rules.match":        "it is an example that is judged when the file is read, and allows nothing itself",
	"tool_rules.no_match":     "as match", "match.allow": "as match", "match.ask": "as match", "match.deny": "as match",
}

// TestEveryKey walks the tables of the format by their schema: no key is in neither list, so
// that an update can't change it unseen; and each change of the first list is wider.
func TestEveryKey(t *testing.T) {
	var schema struct {
		Defs map[string]struct {
			Properties map[string]any
		} `json:"$defs"`
	}
	if err := json.Unmarshal(workflows.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	var keys []string
	for object, def := range schema.Defs {
		for key := range def.Properties {
			keys = append(keys, object+"."+key)
		}
	}
	for _, key := range keys {
		_, compared := changesOfKeys[key]
		compared = compared || slices.Contains(strings.Fields(onlyInFiles), key)
		if _, harmless := grantNothing[key]; compared == harmless {
			t.Errorf("%s: an update that changes it has to be wider, or there has to be a reason why not: %v and %v", key, compared, harmless)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(changesOfKeys)) {
		if !slices.Contains(keys, key) {
			t.Errorf("the format has no %s", key)
		}
		t.Run(key, func(t *testing.T) {
			tt := changesOfKeys[key]
			old, now := authorityWith(t, strings.Replace(tt.in, "§", tt.old, 1)), authorityWith(t, strings.Replace(tt.in, "§", tt.now, 1))
			if all := Compare(old.Lines, now.Lines); !slices.ContainsFunc(all, func(d Difference) bool { return d.Wider }) {
				t.Errorf("from %q to %q is not wider: %v", tt.old, tt.now, all)
			}
		})
	}
}

// authorityWith is the authority of a workflow that may use inner.yaml and other.yaml.
func authorityWith(t *testing.T, text string) Authority {
	t.Helper()
	if !strings.HasPrefix(text, "name: ") {
		text = "name: x\n" + text
	}
	files := map[string]string{
		"flow.yaml": text, "x.md": "x", "y.md": "y",
		"inner.yaml": "name: i\ndescription: d\nsteps: [{run: make}]\n", "other.yaml": "name: i\ndescription: d\nsteps: [{run: make}]\n",
	}
	w, found := workflows.Load("flow.yaml", workflows.Options{ReadFile: func(path string) ([]byte, error) { return []byte(files[path]), nil }})
	if w == nil {
		t.Fatalf("%s: %v", text, found)
	}
	return Of(w)
}
