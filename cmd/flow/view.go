package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/flags"
	"github.com/a-seed-11b9befa/flow/internal/page"
	"github.com/a-seed-11b9befa/flow/internal/serve"
	"github.com/a-seed-11b9befa/flow/runner/host"
)

// viewFlags say where the page is served, and what it may do.
type viewFlags struct {
	listen, tokenFile string
	control           bool
}

func (p *program) viewCommand() *cobra.Command {
	f := &viewFlags{}
	c := &cobra.Command{
		Use:   "view [RUN]",
		Short: "Serve the page of a run, or of all runs, while they go on",
		RunE: func(_ *cobra.Command, args []string) error {
			return underSignals(func(ctx context.Context) error { return p.view(ctx, args, f) })
		},
	}
	set := c.Flags()
	set.BoolVar(&f.control, "control", false, "let the page answer what runs wait for, cancel and resume them")
	set.Var(flags.Text(&f.listen), "listen", "serve on another `address`, such as 0.0.0.0:7777, without encryption")
	set.Var(flags.Text(&f.tokenFile), "token-file", "the `file` with the token that the address has")
	c.MarkFlagsRequiredTogether("listen", "token-file")
	return c
}

// view serves the page until a signal comes.
func (p *program) view(ctx context.Context, args []string, f *viewFlags) (err error) {
	s := &page.Server{Token: page.NewToken(), Runs: host.RunsFolder}
	if len(args) > 0 {
		if s.Dir, err = host.FindRun(args[0]); err != nil {
			return err
		}
	}
	if f.control {
		s.Control = &page.Control{}
		if s.Control.Program, err = os.Executable(); err != nil {
			return err
		}
	}
	address := "127.0.0.1:0"
	if f.listen != "" {
		address = f.listen
		if s.Token, err = serve.ReadToken(f.tokenFile); err != nil {
			return fmt.Errorf("--token-file %w", err)
		}
	}
	listener, err := serve.Listen(ctx, address, false)
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	if err := p.Text(s.Address(listener) + "\n"); err != nil {
		return errors.Join(err, listener.Close())
	}
	if err = s.Serve(ctx, listener); errors.As(err, new(*interruption)) { // which is how a person ends it
		err = nil
	}
	return err
}
