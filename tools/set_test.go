package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

const greetSchema = `{"type":"object","properties":{"name":{"type":"string"},"loud":{"type":"boolean"}},"required":["name","loud"],"additionalProperties":false}`

// greet is a small tool. What a test does not set it does in its own way.
type greet struct {
	name    string
	schema  string
	effects func(json.RawMessage) Effects
	run     func(ctx context.Context, arguments json.RawMessage, out *Output) (Result, error)
}

func (g greet) Spec() Spec {
	s := Spec{Name: "greet", Description: "Greet somebody", Parameters: json.RawMessage(greetSchema)}
	if g.name != "" {
		s.Name = g.name
	}
	if g.schema != "" {
		s.Parameters = json.RawMessage(g.schema)
	}
	return s
}

func (g greet) Effects(arguments json.RawMessage) Effects {
	if g.effects != nil {
		return g.effects(arguments)
	}
	return Effects{Reads: []string{"/names"}}
}

func (g greet) Run(ctx context.Context, arguments json.RawMessage, out *Output) (Result, error) {
	if g.run != nil {
		return g.run(ctx, arguments, out)
	}
	fmt.Fprintf(out, "%s", arguments)
	return Result{}, nil
}

// policy decides by tool name; "" is for all others.
type policy map[string]Decision

func (p policy) Decide(_ context.Context, tool string, _ json.RawMessage) Decision {
	if d, ok := p[tool]; ok {
		return d
	}
	return p[""]
}

func (p policy) Offered(tool string) bool {
	return p.Decide(context.Background(), tool, nil).Verdict != Deny
}

var allowAll = policy{"": {Verdict: Allow, Rule: "*: allow"}}

func newSet(t *testing.T, o SetOptions, entries ...Entry) *Set {
	t.Helper()
	if o.Guard == nil {
		o.Guard = allowAll
	}
	set, err := NewSet(entries, o)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestNewSetErrors(t *testing.T) {
	tests := []struct {
		name    string
		entries []Entry
		want    []string
	}{
		{"two of a name", []Entry{{Tool: greet{}}, {Tool: greet{}}}, []string{`tool "greet": there are two tools of that name`}},
		{"no tool", []Entry{{}}, []string{"an entry has no tool"}},
		{"a name", []Entry{{Tool: greet{name: "../x"}}}, []string{`tool "../x": a name is made of`}},
		{"a schema", []Entry{{Tool: greet{schema: `{"type": "objekt"}`}}}, []string{`tool "greet": schema: /type`}},
		{"an unknown pin", []Entry{{Tool: greet{}, Pinned: map[string]any{"nmae": "A"}}}, []string{`pinned arguments: "nmae" is not known (did you mean "name"?)`}},
		{"a pin of another type", []Entry{{Tool: greet{}, Pinned: map[string]any{"name": 1}}}, []string{"pinned arguments: /name: got number, want string"}},
		{"a pin that is no value", []Entry{{Tool: greet{}, Pinned: map[string]any{"name": func() {}}}}, []string{"pinned arguments: json"}},
		{"all of them", []Entry{{Tool: greet{name: "-"}}, {Tool: greet{schema: "{"}}}, []string{`tool "-"`, `tool "greet": schema: no valid JSON`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := NewSet(test.entries, SetOptions{})
			for _, want := range test.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want %q in it", err, want)
				}
			}
		})
	}
}

func TestSpecs(t *testing.T) {
	guard := policy{"": {Verdict: Allow}, "hidden": {Verdict: Deny}}
	set := newSet(t, SetOptions{Guard: guard},
		Entry{Tool: greet{name: "z"}},
		Entry{Tool: greet{name: "hidden"}},
		Entry{Tool: greet{name: "a"}, Pinned: map[string]any{"loud": true}},
		Entry{Tool: greet{name: "b"}, Pinned: map[string]any{"loud": true, "name": "Ada"}})
	var got []string
	for _, s := range set.Specs() {
		got = append(got, s.Name+" "+string(s.Parameters))
	}
	want := []string{
		"z " + greetSchema,
		`a {"additionalProperties":false,"properties":{"name":{"type":"string"}},"required":["name"],"type":"object"}`,
		`b {"additionalProperties":false,"properties":{},"type":"object"}`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if specs := newSet(t, SetOptions{Guard: policy{}}).Specs(); len(specs) != 0 {
		t.Errorf("an empty set offers %v", specs)
	}
}

func TestSpecsWithoutGuard(t *testing.T) {
	set, err := NewSet([]Entry{{Tool: greet{}}}, SetOptions{})
	if err != nil || len(set.Specs()) != 0 {
		t.Errorf("got %v, %v", set.Specs(), err)
	}
	answer, err := set.Prepare("greet", json.RawMessage(`{"name":"A","loud":true}`)).Run(t.Context())
	if err != nil || answer.Status != Denied || answer.Content != "Denied: there is no policy." {
		t.Errorf("got %+v, %v", answer, err)
	}
}

func TestHintNamesWhatIsOffered(t *testing.T) {
	long := func(_ context.Context, _ json.RawMessage, out *Output) (Result, error) {
		io.WriteString(out, numbers(1, 10))
		return Result{}, nil
	}
	tests := []struct {
		name  string
		tools []string
		deny  string
		want  string
	}{
		{"unexpected response", nil, "", "outputs/1-x.txt"},
		{"one", []string{"grep"}, "", "outputs/1-x.txt; grep it for the rest"},
		{"both", []string{"grep", "read"}, "", "outputs/1-x.txt; read or grep it for the rest"},
		{"one is denied", []string{"grep", "read"}, "read", "outputs/1-x.txt; grep it for the rest"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			entries := []Entry{{Tool: greet{name: "long", run: long, schema: "true"}, Limits: &Limits{Lines: 2}}}
			for _, name := range test.tools {
				entries = append(entries, Entry{Tool: greet{name: name}})
			}
			var m memory
			set := newSet(t, SetOptions{
				Guard: policy{"": {Verdict: Allow}, test.deny + "!": {}, test.deny: {Verdict: Verdict(map[bool]string{true: "deny", false: "allow"}[test.deny != ""])}},
				Outputs: Outputs{Spill: func(call int, tool string) (io.WriteCloser, string, error) {
					if tool != "long" || call != 1 {
						return nil, "", errors.New("the file is for another call")
					}
					return m.spill()
				}},
			}, entries...)
			answer, err := set.Prepare("long", nil).Run(t.Context())
			if err != nil || !strings.HasSuffix(answer.Content, test.want) || !answer.Truncated || answer.Path != "outputs/1-x.txt" {
				t.Errorf("got %+v, %v", answer, err)
			}
		})
	}
}
