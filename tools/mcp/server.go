// Package mcp calls the tools of servers that speak the Model Context Protocol:
// commands, by their standard streams, and URLs, by streamable HTTP.
//
//	server := mcp.New(mcp.Options{Name: "github", Command: []string{"github-mcp-server", "stdio"}})
//	defer server.Close()
//	list, err := server.Tools(ctx) // github_get_issue, …
//
// A server is started when it is first asked for, and shared by all who call
// it. One that has ended is started again by the next call, a few times. What a
// server says of itself and of its tools is data from outside: it is bounded,
// and changes nothing but what a model reads. A tool stays as it was when it was
// handed out; a list that the server changes later is for later callers.
//
// Servers are offered nothing: no roots, no sampling, no elicitation. What
// outlives its process group is not ended, as with any command.
package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/internal/process"
)

// A View is what a command sees of the file system; see [Options].Hold.
type View interface {
	Started(cmd *exec.Cmd) // the command has been started, or could not be
	Close() error
}

// Options say how a server is started, or reached.
type Options struct {
	Name    string // what the names of its tools begin with
	Version string // of the program, as the server is told

	Command []string // an argument list; or
	Dir     string   // where the command runs
	Env     []string // all of its environment: nothing is inherited

	// Confine gives up rights of the thread that the command is started on, for
	// good: the command has no more than that thread. Nil leaves it all of them.
	Confine func() error

	// Hold has the command start in a view of the file system, in place of Confine. The
	// view is let go of when the command has ended. Nil: it sees all there is.
	Hold func(cmd *exec.Cmd) (View, error)

	URL     string            // http or https
	Headers map[string]string // of every request

	// Transport makes of what sends the requests what does. Nil leaves it as it is.
	Transport func(*http.Transport) *http.Transport

	StartupTimeout time.Duration // until its tools are known; 30 s when 0
	Timeout        time.Duration // of a call; 60 s when 0

	// Log opens what takes the command's standard error, of which 4 MiB are
	// kept. It is tried again later while it says [fs.ErrNotExist]. Nil keeps
	// none.
	Log func() (io.WriteCloser, error)

	// Warn is told, in a sentence, what nobody has asked for: that the server
	// has ended, has changed its tools, announces what can't be used. It is
	// called from several goroutines. Nil is for nobody.
	Warn func(message string)

	transport sdk.Transport // in place of a command and a URL, in tests
	firstTry  time.Duration // what the first of two handshakes has of StartupTimeout; a third of it when 0
}

const (
	defaultStartup = 30 * time.Second
	defaultTimeout = time.Minute
	mostStarts     = 5 // of one server, in a run
	firstBackoff   = 500 * time.Millisecond
	mostBackoff    = 8 * time.Second
)

// A Server is one server, running or not. It is safe for concurrent use.
type Server struct {
	o       Options
	journal *journal
	turn    chan struct{} // held while the server is started, asked for its tools or closed

	// Held by turn:
	live    *session // nil: none was started
	starts  int
	failure error // of the last start
	list    []*tool
	closed  bool

	mu   sync.Mutex
	told map[string]bool // warnings that are given once
}

// New returns a server that is not running yet.
func New(o Options) *Server {
	if o.StartupTimeout <= 0 {
		o.StartupTimeout = defaultStartup
	}
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.firstTry <= 0 {
		o.firstTry = o.StartupTimeout / 3
	}
	return &Server{o: o, journal: &journal{open: o.Log}, turn: make(chan struct{}, 1), told: map[string]bool{}}
}

// Tools returns the tools of the server, in its own order. It starts the server
// where it does not run. The error says why there is none, and what the server
// printed last.
func (s *Server) Tools(ctx context.Context) ([]tools.Tool, error) {
	if err := s.take(ctx); err != nil {
		return nil, err
	}
	defer s.release()
	if _, err := s.running(ctx); err != nil {
		return nil, err
	}
	if s.live.changed.Swap(false) {
		s.refresh(ctx)
	}
	all := make([]tools.Tool, len(s.list))
	for i, t := range s.list {
		all[i] = t
	}
	return all, nil
}

// Close ends the server and waits until it has ended. Calls that still run
// fail.
func (s *Server) Close() error {
	s.turn <- struct{}{} // what holds it is bounded in time
	defer s.release()
	s.closed = true
	if s.live != nil {
		s.live.end()
	}
	return s.journal.close()
}

func (s *Server) take(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *Server) release() { <-s.turn }

// running returns the session, a new one where the last has ended. It is for
// who holds the turn.
func (s *Server) running(ctx context.Context) (anew bool, err error) {
	switch {
	case s.closed:
		return false, s.problem("is closed")
	case s.live != nil && !s.live.gone():
		return false, nil
	case s.starts >= mostStarts:
		return false, fmt.Errorf("%w; it was started %d times, and is not started again", s.last(), s.starts)
	}
	if err := s.backOff(ctx); err != nil {
		return false, err
	}
	s.starts++
	if s.failure = s.start(ctx); s.failure != nil {
		return false, s.failure
	}
	if s.starts > 1 {
		s.warn("was started again")
	}
	return s.starts > 1, nil
}

// last is why the server does not run.
func (s *Server) last() error {
	if s.failure == nil && s.live != nil {
		return s.problem("ended: %s", s.live.why())
	}
	return s.failure
}

// backOff waits before a server is started again.
func (s *Server) backOff(ctx context.Context) error {
	if s.starts > 0 && process.Within(min(firstBackoff<<(s.starts-1), mostBackoff), ctx.Done()) {
		return context.Cause(ctx)
	}
	return nil
}

// start starts the server and asks for its tools.
func (s *Server) start(outer context.Context) error {
	ctx, cancel := context.WithTimeout(outer, s.o.StartupTimeout)
	defer cancel()
	live, err := s.connect(ctx)
	if err == nil {
		var announced []*sdk.Tool
		if announced, err = live.tools(ctx); err == nil {
			s.live = live
			s.adopt(announced)
			return nil
		}
		live.end()
	}
	switch {
	case outer.Err() != nil:
		return context.Cause(outer)
	case ctx.Err() != nil && !errors.As(err, new(*endedError)):
		err = fmt.Errorf("no answer within %v", s.o.StartupTimeout)
	}
	return s.problem("does not start: %v%s", err, s.journal.lastWords())
}

// refresh takes a list that the server has changed. The old one is kept where
// the new one does not come.
func (s *Server) refresh(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, s.o.Timeout)
	defer cancel()
	announced, err := s.live.tools(ctx)
	if err != nil {
		s.warn("has changed its tools, and does not list them: %v", err)
		return
	}
	s.adopt(announced)
}

// problem is an error that names the server.
func (s *Server) problem(format string, values ...any) error {
	return fmt.Errorf("MCP server %q: %w", s.o.Name, fmt.Errorf(format, values...))
}

func (s *Server) warn(format string, values ...any) {
	if s.o.Warn != nil {
		s.o.Warn(fmt.Sprintf("MCP server %q ", s.o.Name) + shown(fmt.Sprintf(format, values...), mostWarning))
	}
}

// warnOnce is warn for what a server does again and again.
func (s *Server) warnOnce(format string, values ...any) {
	message := fmt.Sprintf(format, values...)
	s.mu.Lock()
	told := s.told[message] || len(s.told) >= mostWarnings
	s.told[message] = true
	s.mu.Unlock()
	if !told {
		s.warn("%s", message)
	}
}
