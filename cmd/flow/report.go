package main

import (
	"context"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/flags"
	"github.com/a-seed-11b9befa/flow/internal/page"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

func (p *program) reportCommand() *cobra.Command {
	file, full := "", false
	c := &cobra.Command{
		Use:   "report [RUN]",
		Short: "Write what a run did as one HTML file",
		RunE: func(_ *cobra.Command, args []string) error {
			return underSignals(func(ctx context.Context) error { return p.report(ctx, append(args, journal.Last)[0], file, full) })
		},
	}
	c.Flags().VarP(flags.Text(&file), "out", "o", "the `file` to write; - is standard output (default: <run-id>.html)")
	c.Flags().BoolVar(&full, "full", false, "write the conversations of all units, also if the file exceeds 10 MB")
	return c
}

// report writes the page of a run into a file, whole or not at all.
func (p *program) report(ctx context.Context, run, file string, full bool) error {
	dir, err := host.FindRun(run)
	if err != nil {
		return err
	}
	data, units, err := page.Read(dir)
	if err != nil {
		return unreadable(dir, err)
	}
	defer units.Close()
	write := func(to io.Writer) error { return page.Write(to, data, units, full) }
	if file == "-" {
		return write(p.Stdout)
	}
	if file == "" {
		file = filepath.Base(dir) + ".html"
	}
	to, err := term.OpenLate(ctx, file)
	if err == nil {
		err = to.Replace(write)
	}
	if err != nil {
		return steps.Invalid("", "--out: %v", err)
	}
	return p.Text(term.Visible(file) + "\n")
}
