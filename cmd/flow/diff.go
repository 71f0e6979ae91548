package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

const outputMarkdown = "markdown"

func (p *program) diffCommand() *cobra.Command {
	output := choice{value: outputText, allowed: []string{outputText, outputJSON, outputMarkdown}}
	var check string
	c := &cobra.Command{
		Use:   "diff RUN RUN",
		Short: "Compare two runs, and judge the difference",
		Long: `Compare two runs: by step their status, turns, calls, tokens, cost, time, outputs,
what models were asked, and what is in only one of them. RUN is as for flow show.

With --check the exit code is 1 where the expression does not hold, and 2 where it
is no condition, or compares something that is null. It sees before and after, each
as run.json has it, with turns, tool_calls, denied_calls and tokens of the whole run:

  flow diff RUN RUN --check 'after.cost_usd <= 1.2 * before.cost_usd'`,
		Args: arguments(2, 2),
		RunE: func(_ *cobra.Command, args []string) error { return p.diff(args, check, output.value) },
	}
	c.Flags().StringVar(&check, "check", "", "a condition over before and after, such as `EXPR` after.denied_calls == 0")
	c.Flags().Var(&output, "output", "how it is printed")
	c.ValidArgsFunction = func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) < 2 {
			args = nil
		}
		return runWords(c, args, begun)
	}
	completeFlags(c, map[string]completer{})
	return c
}

// A verdict is what became of --check.
type verdict struct {
	Expression string `json:"expression"`
	Holds      bool   `json:"holds"`

	why []workflows.Part
}

// diff compares two runs, and judges how they differ.
func (p *program) diff(args []string, check, output string) error {
	var dirs [2]string
	for i, arg := range args {
		var err error
		if dirs[i], err = findRun([]string{arg}); err != nil {
			return err
		}
	}
	var gate *workflows.Gate
	if check != "" {
		var found workflows.Diagnostics
		if gate, found = workflows.ParseGate(check, "before", "after"); gate == nil {
			return usage("", "--check: %s", strings.TrimPrefix(found[0].String(), found[0].Position().String()+": "))
		}
	}
	c, err := view.Compare(dirs[0], dirs[1])
	if err != nil {
		return usage("", "%v", err)
	}
	var judged *verdict
	if gate != nil {
		if judged, err = judge(gate, check, dirs, c); err != nil {
			return usage("before and after have what run.json has; flow show RUN --output json prints it", "--check %s: %v", check, err)
		}
	}
	if err := p.printDiff(c, judged, output); err != nil {
		return err
	}
	if judged != nil && !judged.Holds {
		return exitError(exitFailure)
	}
	return nil
}

// judge evaluates the condition over both runs.
func judge(gate *workflows.Gate, check string, dirs [2]string, c *view.Comparison) (*verdict, error) {
	env := workflows.Env{}
	for i, side := range []*view.Measured{c.Before, c.After} {
		r, err := runner.ReadResult(dirs[i])
		if err != nil {
			return nil, err
		}
		seen, err := seenOf(r, side)
		if err != nil {
			return nil, err
		}
		env[[]string{"before", "after"}[i]] = seen
	}
	holds, err := gate.Holds(env)
	return &verdict{Expression: check, Holds: holds, why: gate.Why(env)}, err
}

// seenOf is a run as an expression sees it: as run.json has it, with the counts of
// the whole.
func seenOf(r *runner.Result, m *view.Measured) (map[string]any, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.UseNumber()
	seen := map[string]any{}
	if err := decoder.Decode(&seen); err != nil {
		return nil, err
	}
	tools.ExactNumbers(seen)
	seen["turns"], seen["tool_calls"], seen["denied_calls"], seen["tokens"] = m.Turns, m.Calls, m.Denied, int(m.Tokens)
	if m.Status != "" {
		seen["status"] = m.Status
	}
	return seen, nil
}

// printDiff prints a comparison.
func (p *program) printDiff(c *view.Comparison, judged *verdict, output string) error {
	switch output {
	case outputJSON:
		to := term.JSONOutput(p.stdout, p.env)
		encoder := json.NewEncoder(to)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		return encoder.Encode(struct {
			*view.Comparison
			Check *verdict `json:"check,omitempty"`
		}{c, judged})
	case outputMarkdown:
		_, err := io.WriteString(p.stdout, markdownOf(c, judged))
		return err
	}
	_, err := io.WriteString(p.stdout, term.VisibleLines(textOf(c, judged)))
	return err
}

// A pair is one number or word of both runs.
type pair struct{ name, before, after, change string }

// rowsOf are what runs, or steps, are compared by. A side that is nil has none.
func rowsOf(before, after *view.Measured) []pair {
	words := func(m *view.Measured) []string {
		if m == nil {
			return make([]string, 9)
		}
		status := m.Status
		if m.Error != "" {
			status += " (" + m.Error + ")"
		}
		return []string{
			status, m.StopReason, strings.Join(m.Models, ", "), fmt.Sprint(m.Turns), fmt.Sprint(m.Calls), fmt.Sprint(m.Denied),
			quantity.Thousands(int(m.Tokens)), costWord(m.Cost), view.Took(time.Duration(m.TookMS) * time.Millisecond),
		}
	}
	names := []string{"status", "stop reason", "model", "turns", "calls", "denied", "tokens", "cost", "time"}
	a, b := words(before), words(after)
	var rows []pair
	for i, name := range names {
		if a[i] == "" && b[i] == "" {
			continue
		}
		rows = append(rows, pair{name: name, before: a[i], after: b[i]})
		if before != nil && after != nil {
			rows[len(rows)-1].change = changeOf(name, before, after)
		}
	}
	return rows
}

func costWord(c runner.Cost) string {
	switch {
	case !c.Known:
		return "unknown"
	case c.USD == 0:
		return "$0"
	}
	return view.Dollars(c.USD)
}

// changeOf is how much a number has changed: the difference, or the percentage of
// what can be large.
func changeOf(name string, a, b *view.Measured) string {
	switch name {
	case "turns":
		return signed(b.Turns - a.Turns)
	case "calls":
		return signed(b.Calls - a.Calls)
	case "denied":
		return signed(b.Denied - a.Denied)
	case "tokens":
		return percent(float64(a.Tokens), float64(b.Tokens))
	case "cost":
		if a.Cost.Known && b.Cost.Known {
			return percent(a.Cost.USD, b.Cost.USD)
		}
	case "time":
		return percent(float64(a.TookMS), float64(b.TookMS))
	}
	return ""
}

func signed(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%+d", n)
}

func percent(a, b float64) string {
	if a == 0 || a == b {
		return ""
	}
	return fmt.Sprintf("%+.0f%%", 100*(b-a)/a)
}

// valueWord is a value on one line.
func valueWord(value any) string {
	switch value := value.(type) {
	case nil:
		return "(none)"
	case string:
		return term.Shorten(value, 80)
	}
	data, err := jsonline.Encode(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return term.Shorten(string(data), 80)
}
