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
	inCut     = "steps: [{id: a, model: p/m, prompt: x, tools: [{name: bash, truncate: {§}}]}]\n"
	inParams  = "steps: [{id: a, model: p/m, prompt: x, params: {§}}]\n"
	inRetry   = "steps: [{id: a, run: make, retry: {max_attempts: 2, §}}]\n"
	inSandbox = "sandbox: {§}\nsteps: [{id: a, run: make}]\n"
	inBudget  = "budget: {§}\nsteps: [{id: a, run: make}]\n"
	inPart    = "steps: [{id: a, foreach: [1], run: make, budget: {§}}]\n"
	inPrice   = "prices: {p/m: {§}}\nsteps: [{id: a, model: p/m, prompt: x}]\n"
	inCustom  = "custom_tools: {t: {description: d, run: [make], §}}\nsteps: [{id: a, model: p/m, prompt: x, tools: [t]}]\n"
	inServer  = "mcp: {s: {§}}\nsteps: [{id: a, model: p/m, prompt: x, tools: [s_t]}]\n"
	inService = "providers: {p: {api: openai-chat, base_url: \"https://p.example\", §}}\nsteps: [{id: a, model: p/m, prompt: x}]\n"
	inModel   = "providers: {p: {api: openai-chat, base_url: \"https://p.example\", models: {m: {§}}}}\nsteps: [{id: a, model: p/m, prompt: x}]\n"
	inAbove   = "prices: {p/m: {input: 1, output: 1, above: [{§}]}}\nsteps: [{id: a, model: p/m, prompt: x}]\n"
	inAsk     = "steps: [{id: q, ask: Go?, §}]\n"
	inUse     = "steps: [{id: u, uses: inner.yaml, §}]\n"
	inRules   = "steps: [{id: a, model: p/m, prompt: x, tools: [bash], permissions: {bash: {§}}}]\n"
)

// changesOfKeys has for each key of the format a change of its value that may let a
// workflow do more, or decides what it does.
var changesOfKeys = map[string]struct{ in, old, now string }{
	"agent.model": {inAgent, "model: p/m", "model: p/n"}, "agent.params": {inAgent, "model: p/m", "model: p/m, params: {seed: 1}"},
	"agent.permissions": {inAgent, "model: p/m, tools: [write]", "model: p/m, tools: [write], permissions: {write: {\"**\": allow}}"},
	"agent.stop":        {inAgent, "model: p/m", "model: p/m, stop: {max_turns: 90}"}, "agent.tools": {inAgent, "model: p/m", "model: p/m, tools: [bash]"},
	"agent.system":    {"env: [A]\n" + strings.Replace(inAgent, "system: y, ", "", 1), "model: p/m", "model: p/m, system: \"${{ env.A }}\""},
	"budget.cost_usd": {inBudget, "cost_usd: 1", "cost_usd: 2"}, "budget.time": {inBudget, "time: 1m", "time: 2m"}, "budget.tokens": {inBudget, "tokens: 1", "tokens: 2"},
	"step_budget.cost_usd": {inPart, "cost_usd: 1", "cost_usd: 2"}, "step_budget.time": {inPart, "time: 1m", "time: 2m"}, "step_budget.tokens": {inPart, "tokens: 1", "tokens: 2"},
	"step_budget.on_limit": {inPart, "tokens: 1", "tokens: 1, on_limit: continue"}, "step.budget": {inEach, "budget: {tokens: 1}", ""},
	"cache.max_age": {inAsked, "cache: {max_age: 1h}", "cache: {max_age: 2h}"},
	"check.expr":    {inCheck, "expr: \"true\"", "expr: text == \"\""}, "check.run": {inCheck, "run: make", "run: make all"}, "check.held": {inCheck, "run: make, held: true", "run: make, held: false"},
	"context.trim":           {inAsked, "context: {trim: auto}", "context: {trim: \"off\"}"},
	"custom_tool.held":       {inCustom, "held: true", "held: false"},
	"custom_tool.reads":      {inCustom, "", "reads: true"},
	"custom_tool.run":        {"custom_tools: {t: {description: d, run: [§]}}\nsteps: [{id: a, model: p/m, prompt: x, tools: [t]}]\n", "make", "make, all"},
	"custom_tool.parameters": {inCustom, "parameters: {type: object}", "parameters: {type: object, properties: {a: {type: string}}}"},
	"grant.commands":         {inUse, "grant: {}", "grant: {commands: true}"}, "grant.env": {inUse, "grant: {}", "grant: {env: [A]}"}, "grant.secrets": {inUse, "grant: {}", "grant: {secrets: [A]}"},
	"grant.mcp": {inUse, "grant: {}", "grant: {mcp: [s]}"}, "grant.addresses": {inUse, "grant: {}", "grant: {addresses: [a.example]}"},
	"mcp_server.command": {inServer, "command: [a]", "command: [b]"}, "mcp_server.env": {inServer, "command: [a]", "command: [a], env: {A: b}"},
	"mcp_server.url": {inServer, "url: \"https://a.example\"", "url: \"https://b.example\""}, "mcp_server.headers": {inServer, "url: \"https://a.example\"", "url: \"https://a.example\", headers: {A: b}"},
	"mcp_server.held": {inServer, "command: [a], held: true", "command: [a]"}, "mcp_server.required": {inServer, "command: [a]", "command: [a], required: true"}, "mcp_server.startup_timeout": {inServer, "command: [a]", "command: [a], startup_timeout: 1m"}, "mcp_server.timeout": {inServer, "command: [a]", "command: [a], timeout: 1m"},
	"params.max_output_tokens": {inParams, "max_output_tokens: 1", "max_output_tokens: 2"}, "params.reasoning": {inParams, "seed: 1", "seed: 1, reasoning: {effort: low}"},
	"params.seed": {inParams, "seed: 1", "seed: 2"}, "params.temperature": {inParams, "temperature: 0", "temperature: 1"}, "params.top_p": {inParams, "top_p: 0.1", "top_p: 1"},
	"price.input": {inPrice, "input: 1, output: 1", "input: 0, output: 1"}, "price.output": {inPrice, "input: 1, output: 1", "input: 1, output: 0"},
	"price.cache_write": {inPrice, "input: 1, output: 1", "input: 1, output: 1, cache_write: 0"}, "price.cached_input": {inPrice, "input: 1, output: 1", "input: 1, output: 1, cached_input: 0"},
	"price.cache_write_1h": {inPrice, "input: 1, output: 1", "input: 1, output: 1, cache_write_1h: 0"}, "price.above": {inPrice, "input: 1, output: 1", "input: 1, output: 1, above: [{tokens: 9, input: 0, output: 0}]"},
	"price_above.tokens": {inAbove, "tokens: 9, input: 2, output: 2", "tokens: 8, input: 2, output: 2"}, "price_above.input": {inAbove, "tokens: 9, input: 2, output: 2", "tokens: 9, input: 0, output: 2"}, "price_above.output": {inAbove, "tokens: 9, input: 2, output: 2", "tokens: 9, input: 2, output: 0"},
	"price_above.cached_input": {inAbove, "tokens: 9, input: 2, output: 2", "tokens: 9, input: 2, output: 2, cached_input: 0"}, "price_above.cache_write": {inAbove, "tokens: 9, input: 2, output: 2", "tokens: 9, input: 2, output: 2, cache_write: 0"}, "price_above.cache_write_1h": {inAbove, "tokens: 9, input: 2, output: 2", "tokens: 9, input: 2, output: 2, cache_write_1h: 0"},
	"provider.models": {inService, "", "models: {m: {context: 9000}}"}, "known_model.context": {inModel, "", "context: 9000"}, "known_model.output": {inModel, "", "output: 9"}, "known_model.price": {inModel, "", "price: {input: 0, output: 0}"},
	"known_model.tools": {inModel, "tools: true", "tools: false"}, "known_model.structured": {inModel, "structured: true", "structured: false"}, "known_model.temperature": {inModel, "temperature: true", "temperature: false"},
	"known_model.reasoning": {inModel, "", "reasoning: [low]"}, "known_model.modalities": {inModel, "", "modalities: [text]"},
	"thinking.efforts": {inModel, "reasoning: {efforts: [low]}", "reasoning: {efforts: [high]}"}, "thinking.budget": {inModel, "reasoning: {budget: true}", "reasoning: {}"},
	"thinking.least": {inModel, "reasoning: {budget: true, least: 1}", "reasoning: {budget: true, least: 2}"}, "thinking.most": {inModel, "reasoning: {budget: true, most: 1}", "reasoning: {budget: true, most: 2}"},
	"provider.api":         {"providers: {p: {base_url: \"https://p.example\", §}}\nsteps: [{id: a, model: p/m, prompt: x}]\n", "api: openai-chat", "api: ollama"},
	"provider.api_key_env": {inService, "", "api_key_env: TOKEN"}, "provider.body": {inService, "", "body: {store: true}"}, "provider.context": {inService, "", "context: 9000"}, "provider.headers": {inService, "", "headers: {A: b}"},
	"provider.base_url":       {"providers: {p: {api: openai-chat, base_url: §}}\nsteps: [{id: a, model: p/m, prompt: x}]\n", "https://p.example", "https://q.example"},
	"provider.max_concurrent": {inService, "", "max_concurrent: 9"}, "provider.reasoning_content": {inService, "", "reasoning_content: true"}, "provider.requests_per_minute": {inService, "", "requests_per_minute: 9"},
	"provider.structured_output": {inService, "", "structured_output: true"}, "provider.tokens_per_minute": {inService, "", "tokens_per_minute: 9"},
	"reasoning.budget_tokens": {inParams, "reasoning: {budget_tokens: 1}", "reasoning: {budget_tokens: 2}"}, "reasoning.effort": {inParams, "reasoning: {effort: low}", "reasoning: {effort: high}"},
	"retry.backoff": {inRetry, "", "backoff: 2s"}, "retry.max_attempts": {inRun, "", "retry: {max_attempts: 2}"}, "retry.max_backoff": {inRetry, "", "max_backoff: 2s"},
	"sandbox.caches": {inSandbox, "", "caches: keep"}, "sandbox.level": {inSandbox, "", "level: landlock"}, "sandbox.network": {inSandbox, "network: none", ""}, "sandbox.partial": {inSandbox, "", "partial: true"},
	"sandbox.required": {inSandbox, "required: true", ""}, "sandbox.reveal": {inSandbox, "", "reveal: [~/.ssh]"}, "sandbox.write": {inSandbox, "write: [a]", "write: [a, b]"},
	"step.agent": {"agents: {w: {system: y}, v: {tools: [bash]}}\nsteps: [{id: b, model: p/m, agent: w, prompt: x}, {id: c, model: p/m, agent: v, prompt: x}, {id: a, model: p/m, prompt: x, §}]\n", "agent: w", "agent: v"},
	"step.as":    {inEach, "as: a", "as: b"}, "step.when": {inEach, "when: \"false\"", ""}, "step.max_parallel": {inEach, "", "max_parallel: 9"}, "step.max_failures": {inEach, "on_error: continue", "on_error: continue, max_failures: 9"},
	"step.label": {"env: [A]\n" + inEach, "label: x", "label: \"${{ env.A }}\""},
	"step.ask":   {"steps: [{id: q, ask: §}]\n", "Go?", "Stay?"}, "step.choices": {inAsk, "choices: [a, b]", "choices: [a, c]"}, "step.default": {inAsk, "default: a", "default: b"},
	"step.cache": {inAsked, "", "cache: true"}, "step.checks": {inAsked, "", "checks: [{expr: \"true\"}]"}, "step.context": {inAsked, "", "context: {trim: \"off\"}"}, "step.max_fixes": {inAsked, "checks: [{expr: \"true\"}]", "checks: [{expr: \"true\"}], max_fixes: 9"},
	"step.model": {"steps: [{id: a, model: §, prompt: x}]\n", "p/m", "p/n"}, "step.on_denied": {inAsked, "on_denied: fail", ""}, "step.output": {inAsked, "", "output: json"}, "step.params": {inAsked, "", "params: {seed: 1}"},
	"step.permissions": {inAsked, "tools: [write]", "tools: [write], permissions: {write: {\"**\": allow}}"}, "step.stop": {inAsked, "", "stop: {max_turns: 9}"}, "step.tools": {inAsked, "", "tools: [bash]"}, "step.truncate": {inAsked, "", "truncate: {lines: 9}"},
	"step.prompt": {"env: [A]\nsteps: [{id: a, model: p/m, prompt: §}]\n", "x", "\"${{ env.A }}\""}, "step.prompt_file": {"steps: [{id: a, model: p/m, §}]\n", "prompt_file: x.md", "prompt_file: y.md"},
	"step.system": {"env: [A]\n" + inAsked, "system: x", "system: \"${{ env.A }}\""},
	"step.env":    {inRun, "", "env: {A: b}"}, "step.held": {inRun, "held: true", ""}, "step.if": {inRun, "if: \"false\"", ""}, "step.needs": {inRun, "", "needs: []"}, "step.on_error": {inRun, "", "on_error: continue"},
	"step.once": {inRun, "once: true", ""}, "step.retry": {inRun, "", "retry: {max_attempts: 2}"}, "step.timeout": {inRun, "", "timeout: 1h"}, "step.workspace": {inRun, "", "workspace: sub"}, "step.foreach": {inRun, "", "foreach: [1, 2]"},
	"step.id": {"steps: [{run: make, §}]\n", "id: a", "id: b"}, "step.run": {"steps: [{id: a, run: §}]\n", "make", "make all"}, "step.tool": {"steps: [{id: a, tool: §, with: {filePath: x}}]\n", "read", "list"},
	"step.with": {"steps: [{id: a, tool: read, with: {filePath: §}}]\n", "a", "b"}, "step.uses": {"steps: [{id: a, uses: §}]\n", "inner.yaml", "other.yaml"}, "step.grant": {inUse, "", "grant: {commands: true}"},
	"step.outputs": {inGroup, "steps: [{run: a}]", "steps: [{run: a}], outputs: {a: 1}"}, "step.end": {"steps: [{id: a, if: \"false\", message: x, end: §}]\n", "failed", "succeeded"}, "step.message": {"env: [A]\nsteps: [{id: a, end: failed, message: §}]\n", "x", "\"${{ env.A }}\""},
	"step.steps": {inGroup, "steps: [{run: a}]", "steps: [{run: a}, {run: b}]"}, "step.until": {inGroup, "steps: [{run: a}], until: \"true\"", "steps: [{run: a}], until: \"false\""}, "step.max_rounds": {inGroup, "steps: [{run: a}], until: \"true\"", "steps: [{run: a}], until: \"true\", max_rounds: 20"},
	"stop.max_cost_usd": {inStop, "max_cost_usd: 1", "max_cost_usd: 2"}, "stop.max_tokens": {inStop, "max_tokens: 1", "max_tokens: 2"}, "stop.max_tool_calls": {inStop, "max_tool_calls: 1", "max_tool_calls: 2"}, "stop.max_turns": {inStop, "max_turns: 1", "max_turns: 2"},
	"stop.on_limit": {inStop, "", "on_limit: accept"}, "stop.on_tool": {"steps: [{id: a, model: p/m, prompt: x, tools: [read], stop: {§}}]\n", "on_tool: [read]", ""}, "stop.repeated_calls": {inStop, "", "repeated_calls: 9"},
	"stop.timeout": {inStop, "timeout: 1m", "timeout: 2m"}, "stop.when": {inStop, "when: turn > 1", "when: turn > 9"},
	"tool_entry.name": {"steps: [{id: a, model: p/m, prompt: x, tools: [{name: §}]}]\n", "read", "bash"}, "tool_entry.max_calls": {inTool, "max_calls: 1", "max_calls: 2"}, "tool_entry.with": {inTool, "with: {command: make}", "with: {command: make all}"},
	"tool_entry.workflow": {inNested, "workflow: inner.yaml", "workflow: other.yaml"}, "tool_entry.grant": {inNested, "workflow: inner.yaml", "workflow: inner.yaml, grant: {commands: true}"},
	"tool_entry.parallel": {inTool, "parallel: never", "parallel: always"}, "tool_entry.truncate": {inTool, "", "truncate: {lines: 9}"},
	"tool_rules.rules": {inRules, "rules: {make: allow}", "rules: {\"*\": allow}"},
	"truncate.bytes":   {inCut, "bytes: 1", "bytes: 2"}, "truncate.keep": {inCut, "keep: head", "keep: tail"}, "truncate.line_chars": {inCut, "line_chars: 1", "line_chars: 2"}, "truncate.lines": {inCut, "lines: 1", "lines: 2"},
	"workflow.agents": {"§\nsteps: [{id: a, agent: w, model: p/m, prompt: x}]\n", "agents: {w: {system: y}}", "agents: {w: {tools: [bash]}}"},
	"workflow.budget": {atTop, "budget: {tokens: 1}", ""}, "workflow.cache": {atTop, "", "cache: true"}, "workflow.context": {atTop, "", "context: {trim: \"off\"}"}, "workflow.env": {atTop, "", "env: [A]"}, "workflow.findings": {atTop, "", "findings: []"},
	"workflow.custom_tools": {"§\nsteps: [{id: a, model: p/m, prompt: x, tools: [t]}]\n", "custom_tools: {t: {description: d, run: [a]}}", "custom_tools: {t: {description: d, run: [b]}}"},
	"workflow.inputs":       {atTop, "inputs: {a: {type: string, default: b}}", "inputs: {a: {type: string, default: c}}"}, "workflow.instructions": {atTop, "", "instructions: AGENTS.md"},
	"workflow.mcp": {"§\nsteps: [{id: a, model: p/m, prompt: x, tools: [s_t]}]\n", "mcp: {s: {command: [a]}}", "mcp: {s: {command: [b]}}"}, "workflow.model": {"§\nsteps: [{id: a, prompt: x}]\n", "model: p/m", "model: p/n"},
	"workflow.models": {"§\nsteps: [{id: a, model: m, prompt: x}]\n", "models: {m: p/m}", "models: {m: p/n}"}, "workflow.name": {"§\nsteps: [{run: a}]\n", "name: a", "name: b"}, "workflow.outputs": {atTop, "", "outputs: {a: 1}"}, "workflow.params": {atTop, "", "params: {seed: 1}"},
	"workflow.permissions": {"§\nsteps: [{id: a, model: p/m, prompt: x, tools: [write]}]\n", "", "permissions: {write: {\"**\": allow}}"}, "workflow.prices": {atTop, "", "prices: {p/m: {input: 0, output: 0}}"},
	"workflow.providers": {atTop, "", "providers: {p: {api: ollama}}"}, "workflow.retry": {atTop, "", "retry: {max_attempts: 2}"}, "workflow.sandbox": {atTop, "", "sandbox: off"}, "workflow.secrets": {atTop, "", "secrets: [A]"},
	"workflow.steps": {"steps: [{run: a}§]\n", "", ", {run: b}"}, "workflow.stop": {atTop, "", "stop: {max_turns: 9}"}, "workflow.system": {"env: [A]\n" + atTop, "system: x", "system: \"${{ env.A }}\""},
	"workflow.tools": {atTop, "", "tools: [bash]"}, "workflow.truncate": {atTop, "", "truncate: {lines: 9}"}, "workflow.workspace": {atTop, "", "workspace: sub"},
}

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
			if all := Compare(old, now); !Wider(all) {
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
