package plan_test

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/plan"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/tools"
)

// TestCostsNoMoreThanPlanned runs random workflows with models that use what they like within their
// windows and output limits: no run, and no step of one, costs more than its plan says.
func TestCostsNoMoreThanPlanned(t *testing.T) {
	met := &census{}
	t.Run("workflows", func(t *testing.T) {
		for seed := range uint64(trials) {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { newTrial(t, seed, met).run() })
			})
		}
	})
	for _, what := range []string{"unbounded", "budget", "near", "near a budget", "each"} {
		if met.of[what] < 3 {
			t.Errorf("%s: only %d times; all: %v", what, met.of[what], met.of)
		}
	}
}

const trials = 200

// A census counts what was met in all trials.
type census struct {
	mu sync.Mutex
	of map[string]int
}

func (c *census) note(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[string]int{}
	}
	c.of[what]++
}

// A trial is one random workflow.
type trial struct {
	*testing.T
	*rand.Rand
	seed     uint64
	dir      string
	eager    bool // models use all that they may
	kind     int  // of the input that they use
	window   int
	tier     int            // the length of an input above which prices are others
	elements map[string]int // of each foreach whose list the plan does not know, by its path
	text     strings.Builder
	files    int
	steps    int
	met      *census
}

func newTrial(t *testing.T, seed uint64, met *census) *trial {
	d := &trial{T: t, Rand: rand.New(rand.NewPCG(seed, 1)), seed: seed, dir: t.TempDir(), elements: map[string]int{}, met: met}
	d.eager, d.kind = d.IntN(4) > 0, d.IntN(5)
	d.window = 50 + d.IntN([]int{100, 6000}[d.IntN(2)])
	d.tier = d.window/2 + d.IntN(d.window)
	return d
}

func (d *trial) maybe(in int) bool { return d.IntN(in) == 0 }

// write writes a workflow, with a budget or without, and returns its file.
func (d *trial) write(path string, depth int) string {
	d.files++
	file := fmt.Sprintf("w%d.yaml", d.files)
	var w strings.Builder
	fmt.Fprintf(&w, "name: w%d\ndescription: It works.\nmodel: %s\ninputs: {many: {type: array, default: [1, 2]}}\npermissions: {note: allow}\n", d.files, d.model())
	if d.maybe(2) {
		fmt.Fprintf(&w, "budget: {%s}\n", d.limits())
	}
	w.WriteString("prices:\n")
	for _, name := range []string{"a", "b", "c"} {
		fmt.Fprintf(&w, "  mine/%s: {%s", name, d.price())
		if d.maybe(3) {
			fmt.Fprintf(&w, ", above: [{tokens: %d, %s}]", d.tier, d.price())
		}
		w.WriteString("}\n")
	}
	w.WriteString("steps:\n")
	d.list(&w, "  ", path, depth, nil)
	if err := os.WriteFile(filepath.Join(d.dir, file), []byte(w.String()), 0o600); err != nil {
		d.Fatal(err)
	}
	d.text.WriteString("# " + file + "\n" + w.String())
	return file
}

func (d *trial) limits() string {
	limits := []string{fmt.Sprintf("cost_usd: %.4f", 0.01+d.Float64()*d.Float64()/10), fmt.Sprintf("tokens: %d", 1+d.IntN(40_000))}
	return limits[d.IntN(2)]
}

func (d *trial) price() string {
	p := fmt.Sprintf("input: %.2f, output: %.2f", d.Float64()*d.Float64()*10, d.Float64()*d.Float64()*40)
	for _, kind := range []string{"cached_input", "cache_write", "cache_write_1h"} {
		if d.maybe(3) {
			p += fmt.Sprintf(", %s: %.2f", kind, d.Float64()*10)
		}
	}
	return p
}

func (d *trial) model() string {
	names := []string{"mine/a", "mine/b", "mine/c"}
	d.Shuffle(3, func(i, j int) { names[i], names[j] = names[j], names[i] })
	return "[" + strings.Join(names[:1+d.IntN(3)], ", ") + "]"
}

func (d *trial) list(w *strings.Builder, indent, path string, depth int, around []string) {
	for i := range 1 + d.IntN(3) {
		d.step(w, indent, path, depth, i == 0, around)
	}
}

func (d *trial) step(w *strings.Builder, indent, path string, depth int, first bool, around []string) {
	d.steps++
	id := fmt.Sprintf("s%d", d.steps)
	line := func(format string, args ...any) { fmt.Fprintf(w, indent+"  "+format+"\n", args...) }
	fmt.Fprintf(w, "%s- id: %s\n", indent, id)
	if !first && d.maybe(2) {
		line("needs: []")
	}
	if d.eager || d.maybe(2) {
		line("on_error: continue")
	}
	if d.maybe(4) {
		line("retry: {max_attempts: %d, backoff: 1ms}", 2+d.IntN(2))
	}
	counted := true
	switch n := d.IntN(4); d.IntN(9) {
	case 0:
		line("foreach: [%s]", strings.TrimSuffix(strings.Repeat("1, ", n), ", "))
		line("max_parallel: %d", 1+d.IntN(3))
	case 1:
		line(`foreach: '${{ map(1..%d, # + len(env)) }}'`, n+1)
		d.elements[path+id] = n + 1
	case 2:
		line("foreach: ${{ inputs.many }}")
		if strings.Contains(path, "/") {
			d.elements[path+id] = 2
		}
	default:
		counted = false
	}
	kind := d.IntN(10)
	inside := depth > 0 && kind < 3 || counted
	if inside && d.maybe(3) {
		onLimit := ""
		if d.maybe(2) {
			onLimit = ", on_limit: continue"
		}
		line("budget: {%s%s}", d.limits(), onLimit)
	}
	switch {
	case depth > 0 && kind < 2:
		line("steps:")
		d.list(w, indent+"    ", path+id+"/", depth-1, around)
		if d.maybe(2) {
			line("until: round > %d", 1+d.IntN(4))
			line("max_rounds: %d", 1+d.IntN(3))
		}
	case depth > 0 && kind == 2:
		line("uses: ./%s", d.write(path+id+"/", depth-1))
	default:
		d.agent(line, path+id+"/", depth)
	}
}

func (d *trial) agent(line func(string, ...any), path string, depth int) {
	line("prompt: x")
	if depth > 0 && d.maybe(6) {
		limit := ""
		if !d.maybe(4) {
			limit = fmt.Sprintf(", max_calls: %d", 1+d.IntN(3))
		}
		line("tools: [note, {workflow: ./%s, name: sub%s}]", d.write(path+"sub/", depth-1), limit)
	} else {
		line("tools: [note]")
	}
	if d.maybe(3) {
		line("model: %s", d.model())
	}
	if !d.maybe(60) {
		line("params: {max_output_tokens: %d}", 20+d.IntN(800))
	}
	if d.maybe(3) {
		line("output: json")
	} else if d.maybe(2) {
		line("output: {type: object, required: [x]}")
	}
	if d.maybe(2) {
		line("checks: [{expr: 'len(text) %% 2 == 0'}]")
		line("max_fixes: %d", 1+d.IntN(3))
	}
	stop := []string{fmt.Sprintf("max_turns: %d", 1+d.IntN(4))}
	if d.maybe(3) {
		stop = append(stop, "on_tool: [note]")
	}
	for _, one := range []string{"when: turn > 1", "on_limit: accept", fmt.Sprintf("max_cost_usd: %.5f", d.Float64()/50), fmt.Sprintf("max_tokens: %d", 1+d.IntN(9000))} {
		if d.maybe(5) {
			stop = append(stop, one)
		}
	}
	line("stop: {%s}", strings.Join(stop, ", "))
}

// run compares what the run costs with its plan.
func (d *trial) run() {
	file := d.write("", 2)
	d.Cleanup(func() {
		if d.Failed() {
			d.Log(d.text.String())
		}
	})
	env := host.Environment{Lookup: func(string) (string, bool) { return "", false }, Tools: []tools.Tool{note{}}}
	for _, name := range []string{"a", "b", "c"} {
		env.Models = append(env.Models, providers.Retry(&spender{trial: d, info: providers.Info{Ref: "mine/" + name, Provider: name, Context: int64(d.window), StructuredOutput: d.maybe(2)}, asked: map[string]uint64{}}))
	}
	h, err := host.Open(d.Context(), host.Options{File: filepath.Join(d.dir, file), Environment: env, Workspace: d.dir, Dir: filepath.Join(d.dir, "run"), MaxParallel: 1 + d.IntN(6)})
	if err != nil {
		d.Fatal(err)
	}
	defer h.Close()
	p, err := plan.Of(h, d.dir)
	if err != nil {
		d.Fatal(err)
	}
	result, err := h.Run(d.Context())
	if err != nil {
		d.Fatal(err)
	}
	most := d.check("the run", p.Cost, result.Cost.USD)
	near := most > 0 && result.Cost.USD > most/2
	if near {
		d.met.note("near")
	}
	if len(p.Cost.Assumes) > 0 && strings.Contains(p.Cost.Assumes[0], "budget") {
		d.met.note("budget")
		if near {
			d.met.note("near a budget")
		}
	}
	byPath := map[string]*plan.Step{}
	var note func([]*plan.Step)
	note = func(all []*plan.Step) {
		for _, step := range all {
			byPath[step.Step] = step
			note(step.Steps)
		}
	}
	note(p.Steps)
	for _, r := range result.Steps {
		if cost := byPath[r.Path()].Cost; cost != nil && r.CostUSD != nil {
			d.check("step "+r.Path(), *cost, *r.CostUSD)
		}
	}
}

// check returns the most that was planned; 0: it is not bounded.
func (d *trial) check(what string, c plan.Cost, cost float64) (most float64) {
	d.Helper()
	if c.MaxUSD == nil {
		d.met.note("unbounded")
		return 0
	}
	most = *c.MaxUSD
	for _, each := range c.Each {
		usd := each.USD
		for _, of := range each.Of {
			d.met.note("each")
			usd *= float64(d.elements[of])
		}
		most += usd
	}
	if cost > most*(1+1e-9)+1e-12 {
		d.Errorf("%s cost %v, and %v is planned: %s %v", what, cost, most, c, c.Assumes)
	}
	return most
}

// A spender answers at random, and uses up to its window, and as many tokens for an answer as it may.
type spender struct {
	*trial
	info providers.Info

	mu    sync.Mutex
	asked map[string]uint64 // requests, by conversation
}

func (s *spender) Info() providers.Info { return s.info }

func (s *spender) Stream(ctx context.Context, req providers.Request, _ func(providers.Event)) (providers.Message, error) {
	providers.Sleep(ctx, time.Millisecond) // so that requests are in flight together
	h := fnv.New64()
	h.Write([]byte(s.info.Ref + req.Conversation))
	s.mu.Lock()
	s.asked[req.Conversation]++
	count := s.asked[req.Conversation]
	r := rand.New(rand.NewPCG(h.Sum64(), count^s.seed<<32))
	s.mu.Unlock()
	amount := func(most int64) int64 {
		if s.eager || most == 0 {
			return most
		}
		return r.Int64N(most + 1)
	}
	m := providers.Message{Role: providers.RoleAssistant, Provider: s.info.Provider, Model: s.info.Ref, Finish: providers.FinishStop}
	m.Usage.InputTokens = amount(s.info.Context)
	if s.eager && s.seed%4 == 0 {
		m.Usage.InputTokens = min(s.info.Context, int64(s.tier))
	}
	kind, texts := r.IntN(5), 6
	if s.eager {
		kind, texts = s.kind, 3 // that do not pass
	}
	switch kind {
	case 0:
		m.Usage.CachedInputTokens = amount(m.Usage.InputTokens)
	case 1:
		m.Usage.CacheWriteTokens = amount(m.Usage.InputTokens)
	case 2, 3:
		m.Usage.CacheWriteTokens = amount(m.Usage.InputTokens)
		m.Usage.CacheWrite1h = amount(m.Usage.CacheWriteTokens)
	}
	m.Usage.OutputTokens = amount(int64(req.Params.MaxOutputTokens))
	broken := &providers.Error{Kind: providers.KindNetwork, Model: s.info.Ref, Message: "broke off", Retryable: true}
	rarely := 6
	if s.eager {
		rarely = 40
	}
	if s.eager && count%providers.Attempts != 0 || r.IntN(rarely) == 0 {
		return m, broken
	}
	if r.IntN(3*rarely) == 0 {
		return m, &providers.Error{Kind: providers.KindProvider, Model: s.info.Ref, Message: "failed"}
	}
	call := func(name, arguments string) (providers.Message, error) {
		m.Finish = providers.FinishToolCalls
		m.Blocks = []providers.Block{{Type: providers.BlockToolCall, ID: fmt.Sprint(r.Uint64()), Name: name, Arguments: json.RawMessage(arguments)}}
		return m, nil
	}
	switch {
	case req.Force == "" && !req.NoTools && r.IntN(2) == 0 && slices.ContainsFunc(req.Tools, func(t providers.ToolSpec) bool { return t.Name == "sub" }):
		return call("sub", "{}")
	case req.Force == "" && !req.NoTools && (s.eager && r.IntN(16) > 0 || r.IntN(2) == 0):
		return call("note", fmt.Sprintf(`{"n": %d}`, r.IntN(1e6)))
	case req.Result != "" && r.IntN(3) > 0:
		return call(req.Result, []string{`{"x": 1}`, `{}`}[r.IntN(2)])
	}
	text := []string{`{"x": 12}`, `{"x": 12}`, "words", `{"x": 1}`, `{}`, ""}[r.IntN(texts)]
	if text != "" {
		m.Blocks = []providers.Block{{Type: providers.BlockText, Text: text}}
	}
	if r.IntN(8) == 0 {
		m.Finish = providers.FinishLength
	}
	return m, nil
}

// note is a tool that does nothing.
type note struct{}

func (note) Spec() tools.Spec {
	return tools.Spec{Name: "note", Description: "Notes.", Parameters: json.RawMessage(`{"type": "object", "properties": {"n": {"type": "integer"}}}`)}
}
func (note) Effects(json.RawMessage) tools.Effects { return tools.Effects{} }
func (note) Run(_ context.Context, _ json.RawMessage, out *tools.Output) (tools.Result, error) {
	_, err := out.Write([]byte("noted"))
	return tools.Result{}, err
}
