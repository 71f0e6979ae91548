package workflows

import (
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func scriptEnv() Env {
	return Env{
		"prompt": "Describe docs, number 7.", "system": "Short.", "turn": 2,
		"results":  []any{map[string]any{"name": "read", "content": "the text", "error": nil}},
		"messages": []any{map[string]any{"role": "user", "content": "hi"}},
		"tools":    []any{map[string]any{"name": "read", "description": "", "parameters": map[string]any{}}},
	}
}

func TestPlay(t *testing.T) {
	src, err := os.ReadFile("testdata/ok/model.script.yaml")
	if err != nil {
		t.Fatal(err)
	}
	m, ds := ParseScript("model.script.yaml", src)
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	want := []Answer{
		{
			Thinking: "Look first.", Delay: time.Millisecond,
			Calls: []AnswerCall{{Name: "read", Arguments: map[string]any{"filePath": "7"}}},
			Usage: &Usage{InputTokens: 900, OutputTokens: 40, CachedInputTokens: 1, ReasoningTokens: 2},
		},
		{Error: &AnswerError{Status: 429, RetryAfter: time.Second, Message: "slow down"}},
		{Text: "the text 1 read 2 Short.", Finish: "stop"},
		{HasOutput: true, Output: map[string]any{"page": "docs/x.md"}},
	}
	var got []Answer
	for _, turn := range m.Steps["each"] {
		answer, err := turn.Play(scriptEnv())
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, answer)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(m.Steps["*"]) != 1 {
		t.Errorf("%d turns for any step, want 1", len(m.Steps["*"]))
	}
}

// A call that succeeded has no error, which an expression can ask for.
func TestPlayAsksForErrors(t *testing.T) {
	for _, asked := range []string{`results[0].error == nil`, `not (results[0].error != nil)`, `(results[0].error ?? "") == ""`, `results[0].error != "no"`} {
		m, ds := ParseScript("x", []byte("steps:\n  a:\n    - text: '${{ "+asked+" ? \"fine\" : \"failed\" }}'\n"))
		if len(ds) > 0 {
			t.Fatal(ds)
		}
		if got, err := m.Steps["a"][0].Play(scriptEnv()); err != nil || got.Text != "fine" {
			t.Errorf("%s: %q, %v", asked, got.Text, err)
		}
	}
}

func TestPlayKeepsTypes(t *testing.T) {
	m, ds := ParseScript("x", []byte("steps:\n  a:\n    - calls: [{name: x, arguments: {n: '${{ turn + 1 }}', raw: [1, true]}}, {name: y, arguments: not a map}, {name: z}]\n"))
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	got, err := m.Steps["a"][0].Play(scriptEnv())
	if err != nil {
		t.Fatal(err)
	}
	want := []AnswerCall{
		{"x", map[string]any{"n": 3, "raw": []any{1, true}}},
		{"y", "not a map"},
		{"z", map[string]any{}},
	}
	if diff := cmp.Diff(want, got.Calls); diff != "" {
		t.Error(diff)
	}
}

func TestFind(t *testing.T) {
	tests := []struct {
		what, text, pattern string
		group               int
		want                string
		fails               bool
	}{
		{"group", "package main", `package (\S+)`, 1, "main", false},
		{"whole", "package main", `package (\S+)`, 0, "package main", false},
		{"nothing", "x", `y`, 0, "", false},
		{"no such group", "x", `x`, 1, "", true},
		{"bad pattern", "x", `(`, 0, "", true},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			got, err := find(tt.text, tt.pattern, tt.group)
			if got != tt.want || (err != nil) != tt.fails {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestPlayFails(t *testing.T) {
	m, ds := ParseScript("x.yaml", []byte("steps:\n  a:\n    - text: ok ${{ results[5].content }}\n"))
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	_, err := m.Steps["a"][0].Play(scriptEnv())
	const want = "x.yaml:3:27: the expression `results[5].content` failed: there is no such element: the list has 1, from 0"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
