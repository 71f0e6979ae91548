package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner/host"
)

// A toolList is what flow tools prints as JSON: the built-in tools, or with a file what
// its steps are offered.
type toolList struct {
	Version int           `json:"version"`
	File    string        `json:"file,omitempty"`
	Tools   []listedTool  `json:"tools,omitempty"`
	Steps   []offeredStep `json:"steps,omitempty"`
}

type offeredStep struct {
	Step   string       `json:"step"`
	Agent  string       `json:"agent,omitempty"`
	Calls  bool         `json:"calls,omitempty"` // it calls the tool itself, without a model
	Tools  []listedTool `json:"tools"`
	Hidden []string     `json:"hidden,omitempty"` // listed, and never allowed: a model is not shown them
	Absent []string     `json:"absent,omitempty"` // listed, and not there
}

type listedTool struct {
	Name        string          `json:"name"`
	Server      string          `json:"server,omitempty"`
	Description string          `json:"description"`
	Pinned      []string        `json:"pinned,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

// offeredTools prints what each step of a workflow is offered.
func (p *program) offeredTools(ctx context.Context, file string, f toolsFlags) error {
	w, err := p.complainOf(host.Load(file, host.LoadOptions{Environment: p.environment(), NoScripts: true}))
	if err != nil {
		return err
	}
	mask := w.Mask()
	p.stderr.Hide(mask.String)
	inputs, _, err := p.someInputs(w, f.inputs, f.pairs)
	if err != nil {
		return err
	}
	offers, err := w.Offers(ctx, inputs, func(message string) { p.say("warning: "+message, "") })
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	if f.output.value != outputJSON {
		_, err := io.WriteString(p.stdout, mask.String(offersText(offers)))
		return err
	}
	list := toolList{Version: 1, File: file}
	for _, offer := range offers {
		step := offeredStep{Step: offer.Step, Agent: offer.Agent, Calls: offer.Calls, Tools: []listedTool{}, Hidden: offer.Hidden, Absent: offer.Absent}
		for _, t := range offer.Tools {
			step.Tools = append(step.Tools, listedTool{t.Name, t.Server, t.Description, t.Pinned, t.Parameters})
		}
		list.Steps = append(list.Steps, step)
	}
	return p.printJSON(list)
}

// offersText lists the tools step by step, each with its parameters and the first line
// of what it says of itself.
func offersText(offers []host.Offer) string {
	if len(offers) == 0 {
		return "no step has tools\n"
	}
	var b strings.Builder
	for i, offer := range offers {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s: %s\n", term.Visible(offer.Step), offerHead(offer))
		for _, t := range offer.Tools {
			fmt.Fprintf(&b, "  %s {%s}\n", term.Visible(t.Name), term.Visible(strings.Join(parameters(t.Parameters), ", ")))
			first, _, _ := strings.Cut(strings.TrimSpace(t.Description), "\n")
			if first != "" {
				fmt.Fprintf(&b, "      %s\n", term.Shorten(term.Visible(first), longestToolLine))
			}
			if len(t.Pinned) > 0 {
				fmt.Fprintf(&b, "      pinned: %s\n", term.Visible(strings.Join(t.Pinned, ", ")))
			}
		}
		if len(offer.Hidden) > 0 {
			fmt.Fprintf(&b, "  not shown, for no rule allows any call: %s\n", term.Visible(strings.Join(offer.Hidden, ", ")))
		}
		if len(offer.Absent) > 0 {
			fmt.Fprintf(&b, "  not there: %s\n", term.Visible(strings.Join(offer.Absent, ", ")))
		}
	}
	return b.String()
}

const longestToolLine = 100

// offerHead says how many tools a step has, and for whom.
func offerHead(o host.Offer) string {
	text := "the model is shown " + quantity.Count(len(o.Tools), "tool")
	if o.Calls {
		text = "calls " + quantity.Count(len(o.Tools), "tool")
	}
	if o.Agent != "" {
		text += ", agent " + term.Visible(o.Agent)
	}
	return text
}
