package workflows

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/internal/jsonschema"
)

// formatSchema compiles what [Schema] gives.
func formatSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.Parse(Schema())
	if err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.Compile(document, jsonschema.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// TestSchemaTakesRightFiles shows that what the parser takes fits the schema.
func TestSchemaTakesRightFiles(t *testing.T) {
	schema := formatSchema(t)
	for _, file := range yamlFiles(t, "testdata/ok") {
		if strings.HasSuffix(file, ".script.yaml") {
			continue
		}
		src, err := os.ReadFile(filepath.Join("testdata/ok", file))
		if err != nil {
			t.Fatal(err)
		}
		data, ds := DecodeData(file, src)
		if ds.HasErrors() {
			t.Fatal(ds)
		}
		if err := schema.Validate(data); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestSchemaRefusesUnknownKeys puts a key that does not exist into every object
// of the format: the parser and the schema must both refuse it.
func TestSchemaRefusesUnknownKeys(t *testing.T) {
	schema := formatSchema(t)
	sources := map[string]string{
		"workflow":    "name: x\nsteps: [{run: x}]\nNOPE: 1\n",
		"step":        "name: x\nsteps: [{run: x, NOPE: 1}]\n",
		"params":      "name: x\nsteps: [{prompt: x, params: {NOPE: 1}}]\n",
		"reasoning":   "name: x\nparams: {reasoning: {NOPE: 1}}\nsteps: [{run: x}]\n",
		"stop":        "name: x\nstop: {NOPE: 1}\nsteps: [{run: x}]\n",
		"context":     "name: x\ncontext: {NOPE: 1}\nsteps: [{run: x}]\n",
		"cache":       "name: x\ncache: {NOPE: 1}\nsteps: [{run: x}]\n",
		"truncate":    "name: x\ntruncate: {NOPE: 1}\nsteps: [{run: x}]\n",
		"retry":       "name: x\nsteps: [{run: x, retry: {NOPE: 1}}]\n",
		"budget":      "name: x\nbudget: {NOPE: 1}\nsteps: [{run: x}]\n",
		"step_budget": "name: x\nsteps: [{foreach: [1], run: x, budget: {NOPE: 1}}]\n",
		"provider":    "name: x\nproviders: {a: {api: azure, NOPE: 1}}\nsteps: [{run: x}]\n",
		"price":       "name: x\nprices: {a/b: {input: 1, output: 1, NOPE: 1}}\nsteps: [{run: x}]\n",
		"known_model": "name: x\nproviders: {a: {api: ollama, models: {m: {NOPE: 1}}}}\nsteps: [{run: x}]\n",
		"thinking":    "name: x\nproviders: {a: {api: ollama, models: {m: {reasoning: {NOPE: 1}}}}}\nsteps: [{run: x}]\n",
		"price_above": "name: x\nprices: {a/b: {input: 1, output: 1, above: [{tokens: 1, input: 1, output: 1, NOPE: 1}]}}\nsteps: [{run: x}]\n",
		"custom_tool": "name: x\ncustom_tools: {a: {description: a, run: [a], NOPE: 1}}\nsteps: [{run: x}]\n",
		"mcp_server":  "name: x\nmcp: {a: {command: [a], NOPE: 1}}\nsteps: [{run: x}]\n",
		"tool_entry":  "name: x\ntools: [{name: read, NOPE: 1}]\nsteps: [{run: x}]\n",
		"agent":       "name: x\nagents: {a: {NOPE: 1}}\nsteps: [{run: x}]\n",
		"sandbox":     "name: x\nsandbox: {NOPE: 1}\nsteps: [{run: x}]\n",
		"tool_rules":  "name: x\npermissions: {bash: {rules: {a: allow}, match: [a], NOPE: 1}}\nsteps: [{run: x}]\n",
		"match":       "name: x\npermissions: {bash: {rules: allow, match: {NOPE: 1}}}\nsteps: [{run: x}]\n",
		"grant":       "name: x\nsteps: [{uses: a.yaml, grant: {NOPE: 1}}]\n",
		"check":       "name: x\nsteps: [{prompt: x, checks: [{run: x, NOPE: 1}]}]\n",
	}
	var document struct {
		Defs map[string]any `json:"$defs"`
	}
	if err := json.Unmarshal(Schema(), &document); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(document.Defs)) {
		src, tested := sources[name]
		if !tested {
			t.Errorf("no file tests the object %q", name)
			continue
		}
		_, ds := Parse("x.yaml", []byte(src), Options{})
		if !strings.Contains(ds.Error(), `has no key "NOPE"`) {
			t.Errorf("%s: the parser says %v", name, ds)
		}
		data, _ := DecodeData("x.yaml", []byte(src))
		if schema.Validate(data) == nil {
			t.Errorf("%s: the schema takes an unknown key", name)
		}
		right, _ := DecodeData("x.yaml", []byte(strings.ReplaceAll(strings.ReplaceAll(src, ", NOPE: 1", ""), "NOPE: 1", "")))
		if err := schema.Validate(right); err != nil {
			t.Errorf("%s: without the key: %v", name, err)
		}
	}
}

// TestSchemaAndParserAgree shows that the schema refuses what only the form of a
// file makes wrong.
func TestSchemaAndParserAgree(t *testing.T) {
	schema := formatSchema(t)
	for _, src := range []string{
		"steps: [{run: x}]\n",
		"name: x\nsteps: []\n",
		"name: x\nsteps: [{id: x}]\n",
		"name: x\nsteps: [{run: x, prompt: y}]\n",
		"name: x\nsteps: [{run: x, tools: [read]}]\n",
		"name: x\nsteps: [{run: x, timeout: 10}]\n",
		"name: x\nsteps: [{run: x, timeout: 10 minutes}]\n",
		"name: x\nsteps: [{run: x, on_error: ignore}]\n",
		"name: x\nsteps: [{run: x, max_parallel: 0}]\n",
		"name: x\nsteps: [{run: x, output: {type: strnig}}]\n",
		"name: x\npermissions: {read: maybe}\nsteps: [{run: x}]\n",
		"name: x\npermissions: {read: {match: [a]}}\nsteps: [{run: x}]\n",
		"name: x\npermissions: {read: {rules: {a: allow}, match: {maybe: [a]}}}\nsteps: [{run: x}]\n",
		"name: x\nenv: HOME\nsteps: [{run: x}]\n",
		"name: x\nbudget: {cost_usd: -1}\nsteps: [{run: x}]\n",
		"name: x\nbudget: {tokens: 1, on_limit: continue}\nsteps: [{run: x}]\n",
		"name: x\nsteps: [{foreach: [1], run: x, budget: {tokens: 1, on_limit: accept}}]\n",
		"name: x\nsteps: [{end: succeeded, budget: {tokens: 1}}]\n",
	} {
		if _, ds := Parse("x.yaml", []byte(src), Options{}); !ds.HasErrors() {
			t.Errorf("the parser takes %q", src)
		}
		if data, _ := DecodeData("x.yaml", []byte(src)); schema.Validate(data) == nil {
			t.Errorf("the schema takes %q", src)
		}
	}
}
