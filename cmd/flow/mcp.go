package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/flags"
	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/recipe"
	"github.com/a-seed-11b9befa/flow/internal/serve"
)

// mcpFlags are the flags of flow mcp: some of flow run, and where it serves.
type mcpFlags struct {
	*runFlags
	listen    string
	tokenFile string
}

func (p *program) mcpCommand() *cobra.Command {
	f := &mcpFlags{runFlags: &runFlags{serves: true}}
	c := &cobra.Command{
		Use:   "mcp [FILE|FOLDER|REF…]",
		Short: "Serve workflows as tools of an MCP server",
		RunE: func(_ *cobra.Command, args []string) error {
			return atWork(func(ctx context.Context) error { return p.serve(ctx, args, f) })
		},
	}
	set := c.Flags()
	addModel(set, &f.Host.Model)
	set.Var(flags.Text(&f.Host.Workspace), "workspace", "the workspace `folder` (default: as in each workflow, else the current folder)")
	set.Var(flags.Of(&f.Host.BudgetUSD, "USD", "", quantity.ParseUSD), "budget-usd", "cost limit for each run; 0 allows only free requests")
	f.addGrace(set, "a call was cancelled")
	f.registerGrants(set)
	p.addOffline(set)
	set.Var(flags.Text(&f.listen), "listen", "serve over HTTP on an `address` of this machine, such as 127.0.0.1:7777")
	set.Var(flags.Text(&f.tokenFile), "token-file", "the `file` with the token that clients must send")
	c.MarkFlagsRequiredTogether("listen", "token-file")
	return c
}

// serve serves workflows until the client disconnects, or a signal comes.
func (p *program) serve(ctx context.Context, paths []string, f *mcpFlags) (err error) {
	defer func() {
		var interrupted *interruption
		if errors.As(err, &interrupted) { // which is how clients end a server
			err = exitError(codeOfSignal(interrupted.Signal))
		}
	}()
	o := serve.Options{Environment: p.environment(ctx), Run: f.Host}
	o.Run.Warn = p.warn
	if o.Run.Cache, err = p.cache(f.runFlags); err != nil {
		return err
	}
	if o.Paths, o.Granted, err = p.served(ctx, paths, f); err != nil {
		return err
	}
	s, found := serve.New(o)
	if s == nil {
		return found
	}
	p.render(found)
	if f.listen != "" {
		return p.serveHTTP(ctx, s, f)
	}
	return s.Stdio(ctx, p.stdin, p.Stdout)
}

// served returns the files and folders to serve, by default the current folder. It fetches
// recipes, which need a grant on the command line. The references are those of the recipes,
// by file; "" for one that is named by its path.
func (p *program) served(ctx context.Context, arguments []string, f *mcpFlags) (paths []string, references map[string]string, err error) {
	references = map[string]string{}
	if len(arguments) == 0 {
		arguments = []string{"."}
	}
	for _, argument := range arguments {
		from, err := p.finder().Named(ctx, argument)
		if err == nil && recipe.IsFetched(from.File) {
			argument = from.File
			references[argument] = from.Reference()
			_, err = p.loadOwn(ctx, from, f.runFlags)
		}
		if err != nil {
			return nil, nil, err
		}
		paths = append(paths, argument)
	}
	return paths, references, nil
}

// serveHTTP serves by HTTP, and prints the address.
func (p *program) serveHTTP(ctx context.Context, s *serve.Server, f *mcpFlags) error {
	token, err := serve.ReadToken(f.tokenFile)
	if err != nil {
		return fmt.Errorf("--token-file %w", err)
	}
	listener, err := serve.Listen(ctx, f.listen, true)
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	p.say(fmt.Sprintf("%s at http://%s/mcp", quantity.Count(len(s.Tools()), "workflow"), listener.Addr()), "")
	return s.HTTP(ctx, listener, token)
}
