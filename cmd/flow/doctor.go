package main

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/runner/host"
)

func (p *program) doctorCommand() *cobra.Command {
	var model string
	c := &cobra.Command{
		Use:   "doctor [FILE]",
		Short: "Say what this machine has of what workflows need",
		Long: `Say what this machine has of what workflows need: how far models' commands are
held to what they may do, and why no further; bash and git; folders; keys, by
whether they are set. With FILE, which of that it needs: keys of the models that
it asks, variables, programs of its MCP servers. No provider is asked, and no
server is started.

The exit code is 3 where something is missing that FILE needs, and 2 where FILE
has a mistake.`,
		RunE: signalled(func(ctx context.Context, files []string) error { return p.doctor(ctx, files, model) }),
	}
	p.addOutput(c.Flags(), "how it is printed")
	addModel(c.Flags(), &model)
	p.addNoColor(c.Flags())
	return c
}

// doctor checks this machine, and the needs of a workflow.
func (p *program) doctor(ctx context.Context, files []string, model string) error {
	d := report.Diagnosis{Version: 1}
	var w *host.Loaded
	if len(files) > 0 {
		d.File = files[0]
		if w, d.Mistakes = host.Load(d.File, host.LoadOptions{Environment: p.environment(ctx)}); w != nil {
			p.stderr.Hide(w.Mask().String)
			d.Mistakes = append(d.Mistakes, w.Check(model, nil)...)
		}
		d.Mistakes = report.HintedAll(d.Mistakes.Sorted())
	}
	if w != nil {
		d.Health = w.Doctor(ctx, model)
	} else {
		d.Health = p.environment(ctx).Doctor(ctx)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	code := codeOfDiagnostics(d.Mistakes)
	if code == exitSuccess && d.Lacks() {
		code = exitConfiguration
	}
	if p.format != formatJSON {
		p.render(d.Mistakes)
	}
	return cmp.Or(p.tell(d, func() string { return report.Health(d.Health) }), exitWith(code))
}
