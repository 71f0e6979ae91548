package host

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a workflow says of a model of its own provider counts in place of the table, key by key.
func TestOwnKnownModels(t *testing.T) {
	for _, tt := range []struct {
		name, said, asked string
		want              string // in the diagnostics; "" is none
	}{
		{"an effort that it has", "{reasoning: [none, high]}", "params: {reasoning: {effort: none}}", ""},
		{"an effort that it does not have", "{reasoning: [none, high]}", "params: {reasoning: {effort: max}}", "it supports none, high"},
		{"an effort of a model of the table", "{context: 9_000}", "params: {reasoning: {effort: max}}", "it supports minimal, low, medium, high"},
		{"an effort in place of the table's", "{reasoning: [max]}", "params: {reasoning: {effort: max}}", ""},
		{"no reasoning", "{reasoning: []}", "params: {reasoning: {effort: low}}", "does not support reasoning"},
		{"reasoning that can't be set", "{reasoning: {}}", "params: {reasoning: {effort: low}}", "decides itself how much it reasons"},
		{"a budget", "{reasoning: {budget: true, least: 100, most: 500}}", "params: {reasoning: {budget_tokens: 900}}", "at most 500 tokens, not 900"},
		{"no tools", "{tools: false}", "tools: [read]", "can't call tools"},
		{"the length of an answer", "{output: 10}", "params: {max_output_tokens: 11}", "at most 10 tokens"},
		{"no temperature", "{temperature: false}", "params: {temperature: 1}", "does not support a temperature"},
		{"a schema", "{structured: true}", "output: {type: object}", ""},
		{"no schema", "{structured: false}", "output: {type: object}", "the result is requested by a tool"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "w.yaml")
			source := "name: w\nmodel: mine/gpt-5\npermissions: {read: allow}\nproviders:\n  mine: {api: openai-responses, base_url: 'https://api.openai.com/v1', models: {gpt-5: " + tt.said + "}}\nsteps:\n  - prompt: Hi.\n    " + tt.asked + "\n"
			if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
				t.Fatal(err)
			}
			l, wrong := Load(file, LoadOptions{})
			if wrong.HasErrors() {
				t.Fatal(wrong)
			}
			var told []string
			for _, d := range l.Check(CheckOptions{}) {
				told = append(told, d.Message+" ("+d.Hint+")")
			}
			if got := strings.Join(told, "\n"); tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("%q, want one with %q", got, tt.want)
			}
		})
	}
}

// A model's own price is one of the workflow's, and its window is what it says.
func TestOwnPriceAndWindow(t *testing.T) {
	file := filepath.Join(t.TempDir(), "w.yaml")
	source := `name: w
model: mine/m
providers:
  mine: {api: openai-chat, base_url: "http://localhost:1/v1", context: 1000, models: {m: {context: 2000, price: {input: 1, output: 2, above: [{tokens: 10, input: 3, output: 4}]}}}}
prices: {mine/other: {input: 5, output: 5}}
steps: [{prompt: Hi.}]
`
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	l, wrong := Load(file, LoadOptions{})
	if wrong.HasErrors() {
		t.Fatal(wrong)
	}
	if price := l.Workflow.Prices["mine/m"]; price.Input != 1 || len(price.Above) != 1 || price.Above[0].Input != 3 || len(l.Workflow.Prices) != 2 {
		t.Errorf("prices %+v", l.Workflow.Prices)
	}
	for ref, want := range map[string]int64{"mine/m": 2000, "mine/n": 1000} {
		m, err := NewModels(Environment{}).find(ref, l.Workflow, true, false)
		if err != nil {
			t.Fatal(err)
		}
		if info := m.Info(); info.Context != want {
			t.Errorf("%s: a window of %d tokens, want %d", ref, info.Context, want)
		}
	}
}
