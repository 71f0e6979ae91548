// Package serve offers workflows to other agents: an MCP server whose tools are the
// workflows of files and folders.
//
//	s, found := serve.New(serve.Options{Paths: []string{"recipes"}})
//	if s == nil {
//		return found
//	}
//	return s.Stdio(ctx, os.Stdin, os.Stdout)
//
// A call runs the workflow as flow run would, in a run folder of its own and under the rules of its
// files. The arguments are the workflow's inputs, the structured result is its outputs. Clients that
// want it get the events as progress. Calls whose rule is ask are asked of the client's user, and
// denied if the client can't ask. A run that does not succeed is a result with its reasons, not an
// error of the protocol. A client that cancels a call, or disconnects, cancels its run.
//
// Files are read again for each list of the tools and for each call.
package serve

import (
	"context"
	"errors"
	"io"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/semaphore"

	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// Options configure a server.
type Options struct {
	Paths []string // of workflows, and of folders with some

	// Granted are the workflows of fetched recipes that may be served, with the references
	// that name them; "" for one that is named by its path.
	Granted map[string]string

	Environment host.Environment // of all workflows

	// Run are the options of each run. The server itself sets the workflow, the inputs, and who
	// is asked and observes the run. Warn is called with problems that no client is told of, from
	// several goroutines.
	Run host.Options
}

// maxRuns is the maximum number of concurrent runs. Further calls wait.
const maxRuns = 16

// errEnding is the cause that cancels runs when the server ends.
var errEnding = errors.New("the MCP server ends")

// A Server serves workflows until its context ends. It is for one call of
// [Server.Stdio] or [Server.HTTP].
type Server struct {
	o      Options
	models *host.Models // of all runs, which share the limits of services
	sdk    *sdk.Server
	slots  *semaphore.Weighted // one for each run

	mu        sync.Mutex
	announced map[string]announced // by the names of tools
}

// New reads the workflows. The server is nil if there is no workflow, a named file has mistakes, or
// two workflows have one name. Files of folders that have mistakes are left out, and their mistakes
// returned.
func New(o Options) (*Server, workflows.Diagnostics) {
	s := &Server{o: o, models: host.NewModels(o.Environment), slots: semaphore.NewWeighted(maxRuns), announced: map[string]announced{}}
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

// spoken returns the versions of the protocol in which a server can ask its client during a call. In
// later ones the question ends the call, and would end its run.
func spoken() []string {
	var versions []string
	for _, version := range sdk.SupportedProtocolVersions() {
		if version <= "2025-11-25" {
			versions = append(versions, version)
		}
	}
	return versions
}

// Tools returns the names of the current tools, in no order.
func (s *Server) Tools() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for name := range s.announced {
		names = append(names, name)
	}
	return names
}

// Stdio serves one client until it closes in, or ctx ends. Only the protocol is written to out. It
// returns when all runs have ended.
func (s *Server) Stdio(ctx context.Context, in io.Reader, out io.Writer) error {
	defer s.quiesce()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(errEnding)
	s.sdk.AddReceivingMiddleware(s.refreshing, until(ctx))
	err := s.sdk.Run(ctx, &sdk.IOTransport{Reader: io.NopCloser(in), Writer: unclosed{out}})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// unclosed is a writer that the server does not close.
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

// quiesce waits until all runs have ended, and prevents new ones.
func (s *Server) quiesce() { _ = s.slots.Acquire(context.Background(), maxRuns) }

func (s *Server) warn(message string) {
	if s.o.Run.Warn != nil {
		s.o.Run.Warn(message)
	}
}
