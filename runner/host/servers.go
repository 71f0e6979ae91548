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
	"sync"

	"github.com/sourcegraph/conc"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/mcp"
	"github.com/a-seed-11b9befa/flow/tools/shell"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// servers has the MCP servers of a run. Servers that are started or reached in the same way are
// one server, whoever asks for it. It is safe for concurrent use.
type servers struct {
	env    Environment
	folder string      // of the run
	mask   *tools.Mask // hides secrets in what servers print
	warn   func(message string)

	refuse func(what string) // as in toolboxes

	mu   sync.Mutex
	all  map[string]*mcp.Server
	logs map[string]int // how many servers have the same name
}

// server returns one server of a workflow, without starting it.
func (s *servers) server(w *workflows.Server, names workflows.Env, workspace string, kept confinement) (*mcp.Server, error) {
	shell.CloseInherited()
	o, err := s.options(w, names, workspace)
	if err != nil {
		return nil, err
	}
	kept.confine(&o)
	id := fmt.Sprintf("%v %p %v %q %q %q %q %q %q %v %v", kept.sandbox, kept.space, kept.guarded, o.Name, o.Command, o.Dir, o.Env, o.URL, o.Headers, o.StartupTimeout, o.Timeout)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all[id] == nil {
		s.logs[o.Name]++
		log := o.Name
		if n := s.logs[o.Name]; n > 1 {
			log += fmt.Sprintf("-%d", n)
		}
		o.Log = func() (io.WriteCloser, error) { return s.log("mcp-" + log + ".log") }
		s.all[id] = mcp.New(o)
	}
	return s.all[id], nil
}

// options evaluates how a server is started or reached. It gets the variables that every command
// needs, and those that the workflow gives it.
func (s *servers) options(w *workflows.Server, names workflows.Env, workspace string) (mcp.Options, error) {
	o := mcp.Options{
		Name: w.Name, Version: s.env.Version, Dir: workspace,
		StartupTimeout: w.StartupTimeout, Timeout: w.Timeout, Warn: s.warn, Mask: s.mask,
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
	o.Env = s.env.ofCommands(nil, nil)
	for _, name := range slices.Sorted(maps.Keys(w.Env)) {
		o.Env = append(o.Env, name+"="+text(w.Env[name]))
	}
	if w.URL != nil {
		o.URL, o.Headers = text(w.URL), map[string]string{}
		errs = append(errs, checkURL(o.URL))
		if s.refuse != nil && !isLoopback(o.URL) {
			s.refuse("the MCP server " + w.Name)
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

// log creates a file for what a server prints, if the run has its folder.
func (s *servers) log(name string) (io.WriteCloser, error) {
	root, err := os.OpenRoot(s.folder)
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
	return &maskedFile{s.mask.Writer(file), file}, nil
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
			kept, err := b.confinementOf(runner.ToolScope{Workflow: w, Workspace: at, Run: run}, own)
			if err != nil {
				return err
			}
			server, err := b.servers.server(own, b.env.names(w, given), at, kept)
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
			return configuration("it is required ("+required[i].Pos.String()+"): the run needs it", "%v", err)
		}
	}
	return nil
}

// close ends all servers concurrently, and waits until they have ended.
func (s *servers) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var closing conc.WaitGroup
	errs := make([]error, len(s.all))
	for i, id := range slices.Collect(maps.Keys(s.all)) {
		closing.Go(func() { errs[i] = s.all[id].Close() })
	}
	closing.Wait()
	return errors.Join(errs...)
}
