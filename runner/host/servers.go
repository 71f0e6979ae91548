package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path"
	"slices"

	"github.com/sourcegraph/conc"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools/mcp"
	"github.com/a-seed-11b9befa/flow/tools/shell"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// server returns one server of a scope's workflow, without starting it. Servers that are started or
// reached in the same way are one server, whoever asks for it.
func (b *toolboxes) server(scope runner.ToolScope, w *workflows.Server) (*mcp.Server, error) {
	shell.CloseInherited()
	kept, err := b.confinementOf(scope, w)
	if err != nil {
		return nil, err
	}
	o, err := b.serverOptions(w, scope.Env, ownHome(scope))
	if err != nil {
		return nil, err
	}
	kept.confine(&o)
	id := fmt.Sprintf("%v %p %v %q %q %q %q %q %q %v %v", kept.sandbox, kept.space, kept.guarded, o.Name, o.Command, o.Dir, o.Env, o.URL, o.Headers, o.StartupTimeout, o.Timeout)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.servers[id] == nil {
		b.logs[o.Name]++
		log := o.Name
		if n := b.logs[o.Name]; n > 1 {
			log += fmt.Sprintf("-%d", n)
		}
		o.Log = func() (io.WriteCloser, error) { return b.serverLog("mcp-" + log + ".log") }
		b.servers[id] = mcp.New(o)
	}
	return b.servers[id], nil
}

// serverOptions evaluates how a server is started or reached. It gets the variables that every command
// needs, and those that the workflow gives it.
func (b *toolboxes) serverOptions(w *workflows.Server, names workflows.Env, workspace string) (mcp.Options, error) {
	o := mcp.Options{
		Name: w.Name, Version: b.env.Version, Dir: workspace,
		StartupTimeout: w.StartupTimeout, Timeout: w.Timeout, Warn: b.warn, Mask: b.options.Mask,
	}
	var errs []error
	text := func(t *workflows.Template) string {
		text, err := t.Text(names)
		errs = append(errs, err)
		return text
	}
	for _, word := range w.Command {
		o.Command = append(o.Command, text(word))
	}
	o.Env = b.env.ofCommands(nil, nil)
	for _, name := range slices.Sorted(maps.Keys(w.Env)) {
		o.Env = append(o.Env, name+"="+text(w.Env[name]))
	}
	if w.URL != nil {
		o.URL, o.Headers = text(w.URL), map[string]string{}
		errs = append(errs, checkURL(o.URL))
		if b.options.Refuse != nil && !isLoopback(o.URL) {
			b.options.Refuse("the MCP server " + w.Name)
			errs = append(errs, errors.New("no other machine may be contacted here"))
		}
	}
	for name, value := range w.Headers {
		o.Headers[name] = text(value)
	}
	if err := errors.Join(errs...); err != nil {
		return o, configuration("", "MCP server %q: %v", w.Name, err)
	}
	return o, nil
}

// checkURL returns an error if a URL is no address of a server. It does not repeat the URL, which
// may hold a key.
func checkURL(text string) error {
	if u, err := url.Parse(text); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("url is not an http or https URL")
	}
	return nil
}

// serverLog creates a file for what a server prints, if the run has its folder.
func (b *toolboxes) serverLog(name string) (io.WriteCloser, error) {
	root, err := os.OpenRoot(b.options.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if _, err := root.Stat("outputs"); err != nil {
		return nil, err // the run has not begun
	}
	if err := root.MkdirAll("logs", 0o700); err != nil {
		return nil, err
	}
	file, err := root.OpenFile(path.Join("logs", name), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	return &maskedFile{b.options.Mask.Writer(file), file}, nil
}

// A maskedFile is a file in which secrets are hidden.
type maskedFile struct {
	io.WriteCloser
	file *os.File
}

// Close writes what was held back, and closes the file.
func (f *maskedFile) Close() error {
	return errors.Join(f.WriteCloser.Close(), f.file.Close())
}

// require starts the required servers of the workflow, and of those that it uses as far as their
// confinement does not depend on a step. It returns the error of the first one in the order of their
// names.
func (b *toolboxes) require(ctx context.Context, inputs map[string]any, workspace, run string) error {
	var required []*workflows.Server
	var started []*mcp.Server
	for _, w := range b.all {
		given, at := inputs, workspace
		if w != b.Workflow {
			given = defaults(w)
			at, _ = b.env.workspaceOf(w, given, workspace) // what depends on its inputs is known later
		}
		for _, name := range slices.Sorted(maps.Keys(w.MCP)) {
			own := w.MCP[name]
			if !own.Required || b.confinedBySteps(w) || own.Held && w != b.Workflow {
				continue
			}
			server, err := b.server(runner.ToolScope{Workflow: w, Workspace: at, Run: run, Env: b.env.names(w, given)}, own)
			switch {
			case err == nil:
				required, started = append(required, own), append(started, server)
			case w == b.Workflow:
				return err
			}
		}
	}
	failed := make([]error, len(started))
	var starting conc.WaitGroup
	for i, server := range started {
		starting.Go(func() { _, failed[i] = server.Tools(ctx) })
	}
	starting.Wait()
	for i, err := range failed {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return configuration("mend what keeps the server from starting, or let the run do without it: remove required ("+required[i].Pos.String()+")", "%v", err)
		}
	}
	return nil
}

// closeServers ends all servers concurrently, and waits until they have ended.
func (b *toolboxes) closeServers() error {
	var closing conc.WaitGroup
	errs := make([]error, len(b.servers))
	for i, id := range slices.Collect(maps.Keys(b.servers)) {
		closing.Go(func() { errs[i] = b.servers[id].Close() })
	}
	closing.Wait()
	return errors.Join(errs...)
}
