// Package serve offers workflows to other agents: an MCP server whose tools are the
// workflows of files and folders.
//
//	s, found := serve.New(serve.Options{Paths: []string{"recipes"}})
//	if s == nil {
//		return found
//	}
//	return s.Stdio(ctx, os.Stdin, os.Stdout)
//
// A call runs the workflow as flow run would, in a run's folder of its own, and
// starts nothing that the rules of its files do not allow. The arguments are the
// workflow's inputs, the structured result is its outputs. What happens meanwhile is
// told as progress to a client that wants to know, and a call that has to be asked for
// is asked of a client that can ask its user; else it is denied. A run that does not
// succeed is a result with all that there is to say of it, not an error of the protocol.
// Whoever cancels a call, or goes away, cancels its run.
//
// Files are read again for each list of the tools and for each call, so that what
// runs is the file as it is then.
package serve

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// Options say what is served, and how it runs. Those of a run mean what they do in
// [host.Options].
type Options struct {
	Paths       []string // of workflows, and of folders with some; none: the current folder
	Environment host.Environment

	// Granted are the workflows of fetched recipes that may be served, with the references
	// that name them; "" for one that is named by its path.
	Granted map[string]string

	Workspace string
	Model     string
	BudgetUSD *float64 // of each run
	Grace     time.Duration
	Answers   host.Answers

	// Warn is given what no client hears of: from several goroutines, a sentence
	// at a time. Nil: nobody hears of it.
	Warn func(message string)
}

// mostRuns is how many runs there are at once; further calls wait.
const mostRuns = 16

// errEnding is why runs are cancelled when the server ends.
var errEnding = errors.New("the MCP server ends")

// A Server serves workflows until its context ends. It is for one call of
// [Server.Stdio] or [Server.HTTP].
type Server struct {
	o      Options
	models *host.Models // of all runs, which share the limits of services
	sdk    *sdk.Server
	slots  chan struct{} // holds a value for each run

	mu        sync.Mutex
	announced map[string]announced // by the names of tools
}

// New reads the workflows. The server is nil where nothing can be served: no
// workflow is there, a file that is named has mistakes, two have one name. Files of
// folders that have mistakes are left out, and their mistakes are among what was found.
func New(o Options) (*Server, workflows.Diagnostics) {
	s := &Server{o: o, models: host.NewModels(o.Environment), slots: make(chan struct{}, mostRuns), announced: map[string]announced{}}
	s.sdk = sdk.NewServer(&sdk.Implementation{Name: "flow", Title: "flow workflows", Version: o.Environment.Version}, &sdk.ServerOptions{
		Instructions:              "Each tool runs a workflow to its end, which can take minutes. Its result is the workflow's outputs.",
		Capabilities:              &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{ListChanged: true}},
		SupportedProtocolVersions: spoken(),
	})
	found, ok := s.read()
	if !ok {
		return nil, found
	}
	return s, found
}

// spoken are the versions of the protocol in which a server can ask its client while
// a call goes on. In later ones the call ends with the question, and its run would.
func spoken() []string {
	var versions []string
	for _, version := range sdk.SupportedProtocolVersions() {
		if version <= "2025-11-25" {
			versions = append(versions, version)
		}
	}
	return versions
}

// Tools are the names of the tools that are served now, in no order.
func (s *Server) Tools() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for name := range s.announced {
		names = append(names, name)
	}
	return names
}

// Stdio serves one client, until it closes in, or ctx ends. Nothing but the protocol
// is written to out. It returns when no run goes on any more.
func (s *Server) Stdio(ctx context.Context, in io.Reader, out io.Writer) error {
	defer s.quiesce()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(errEnding)
	s.sdk.AddReceivingMiddleware(s.refreshing, until(ctx))
	err := s.sdk.Run(ctx, unanswered{&sdk.IOTransport{Reader: io.NopCloser(in), Writer: unclosed{out}}})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// unclosed is a writer that is not the server's to close.
type unclosed struct{ io.Writer }

// Close does nothing.
func (unclosed) Close() error { return nil }

// until ends requests with a context.
func until(outer context.Context) sdk.Middleware {
	return func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
			ctx, cancel := context.WithCancelCause(ctx)
			defer cancel(nil)
			defer context.AfterFunc(outer, func() { cancel(context.Cause(outer)) })()
			return next(ctx, method, r)
		}
	}
}

// quiesce waits until nothing runs. Nothing begins any more.
func (s *Server) quiesce() {
	for range cap(s.slots) {
		s.slots <- struct{}{}
	}
}

func (s *Server) warn(message string) {
	if s.o.Warn != nil {
		s.o.Warn(message)
	}
}
