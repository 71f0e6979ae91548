// Package mcp calls the tools of servers of the Model Context Protocol: of commands, through
// their standard streams, and of URLs, through streamable HTTP.
//
//	server := mcp.New(mcp.Options{Name: "github", Command: []string{"github-mcp-server", "stdio"}})
//	defer server.Close()
//	list, err := server.Tools(ctx) // github_get_issue, …
//
// A server is started when it is first needed, and shared by all callers. If it has ended,
// the next call starts it again, a few times. What a server says about itself and its tools
// is data from outside: its length is limited, and it only affects what a model reads. A
// tool does not change after Tools has returned it; if the server changes its list, later
// callers get the new one.
//
// Servers are offered no roots, no sampling and no elicitation. As with any command,
// processes that leave the process group are not ended.
package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/internal/process"
)

// Options say how to start or reach a server.
type Options struct {
	Name    string // the prefix of the names of its tools
	Version string // of this program, for the server

	Command []string // an argument list; or URL
	Dir     string   // where the command runs
	Env     []string // its whole environment: nothing is inherited

	// Confine gives up rights of the calling thread, for good, which then starts the
	// command. Nil gives up none.
	Confine func() error

	// Hold wraps the command to start it in a view of the file system, in place of
	// Confine. The view is closed when the command has ended. Nil does not.
	Hold func(cmd *exec.Cmd) (view io.Closer, err error)

	URL     string            // http or https
	Headers map[string]string // of every request

	// Transport may change or replace the transport for requests. It may be nil.
	Transport func(*http.Transport) *http.Transport

	StartupTimeout time.Duration // until the tools are known; 0 is 30 s
	Timeout        time.Duration // of a call; 0 is 60 s

	// Log opens the file for the command's standard error, of which 4 MiB are kept. While
	// it returns [fs.ErrNotExist] it is called again later. Nil keeps none.
	Log func() (io.WriteCloser, error)

	// Mask hides secrets in those words of a server that are cut where they are long, before
	// that. Nil hides none.
	Mask *tools.Mask

	// Warn is called with a sentence about an unexpected event: the server has ended, has
	// changed its tools, or announces something that can't be used. It has to be safe for
	// concurrent use, and may be nil.
	Warn func(message string)

	transport sdk.Transport // in place of a command and a URL, in tests
	firstTry  time.Duration // the part of StartupTimeout for the first of two handshakes; 0 is a third
	listAge   time.Duration // how long a list of tools by HTTP is good; 0 is a minute
}

const (
	defaultStartup = 30 * time.Second
	defaultTimeout = time.Minute
	maxStarts      = 5 // of one server, in a run
	firstBackoff   = 500 * time.Millisecond
	maxBackoff     = 8 * time.Second

	// A server by HTTP does not say that its tools have changed, so it is asked. Servers
	// change them rarely, and all steps and elements ask here: a minute keeps a run with many
	// of them from asking for each.
	defaultListAge = time.Minute

	// All callers wait while the tools are listed again, and there is an older list, which
	// mostly is the same: so this is shorter than the time of a call.
	relistTime = 5 * time.Second
)

// Server is one server, running or not. It is safe for concurrent use.
type Server struct {
	o       Options
	journal *journal
	turn    chan struct{} // a lock, held while the server is started, asked for its tools or closed

	// Guarded by turn:
	live    *session // nil if none was started
	starts  int
	failure error // of the last start
	list    []*tool
	closed  bool

	mu   sync.Mutex
	told map[string]bool // the warnings so far
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
	if o.listAge <= 0 {
		o.listAge = defaultListAge
	}
	return &Server{o: o, journal: &journal{open: o.Log}, turn: make(chan struct{}, 1), told: map[string]bool{}}
}

// Tools returns the tools of the server, in the server's order. It starts the server unless
// that is running. An error says why it could not, with the last lines that the server
// printed.
func (s *Server) Tools(ctx context.Context) ([]tools.Tool, error) {
	if err := s.acquire(ctx); err != nil {
		return nil, err
	}
	defer s.release()
	if _, err := s.running(ctx); err != nil {
		return nil, err
	}
	if s.outdated() {
		s.refresh(ctx)
	}
	all := make([]tools.Tool, len(s.list))
	for i, t := range s.list {
		all[i] = t
	}
	return all, nil
}

// Close ends the server, and waits until it has ended. Running calls fail.
func (s *Server) Close() error {
	s.turn <- struct{}{} // everything that holds it has a timeout
	defer s.release()
	s.closed = true
	if s.live != nil {
		s.live.end()
	}
	return s.journal.close()
}

func (s *Server) acquire(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *Server) release() { <-s.turn }

// running starts a new session if there is none that runs, and reports whether it started
// the server again. The caller has to hold turn.
func (s *Server) running(ctx context.Context) (anew bool, err error) {
	switch {
	case s.closed:
		return false, s.problem("is closed")
	case s.live != nil && !s.live.gone():
		return false, nil
	case s.starts >= maxStarts:
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

// last returns why the server does not run.
func (s *Server) last() error {
	if s.failure == nil && s.live != nil {
		return s.problem("ended: %s", s.live.why())
	}
	return s.failure
}

// backOff waits before a server is started again.
func (s *Server) backOff(ctx context.Context) error {
	if s.starts > 0 && process.Within(min(firstBackoff<<(s.starts-1), maxBackoff), ctx.Done()) {
		return context.Cause(ctx)
	}
	return nil
}

// start starts the server, and asks for its tools.
func (s *Server) start(outer context.Context) error {
	ctx, cancel := context.WithTimeout(outer, s.o.StartupTimeout)
	defer cancel()
	live, err := s.connect(ctx)
	if err == nil {
		var announced []*sdk.Tool
		if announced, err = live.tools(ctx); err == nil {
			s.live, live.asked = live, time.Now()
			s.adopt(announced)
			return nil
		}
		live.end()
	}
	var unreached *url.Error
	switch {
	case outer.Err() != nil:
		return context.Cause(outer)
	case ctx.Err() != nil && !errors.As(err, new(*endedError)):
		err = fmt.Errorf("no answer within %v", s.o.StartupTimeout)
	case errors.As(err, &unreached): // what the SDK says around it is about its own parts
		err = unreached
	}
	return s.problem("does not start: %v%s", err, s.journal.lastWords(s.o.Mask))
}

// outdated reports whether the server should list its tools again: it has said that they
// changed, or, by HTTP, has not listed them for a while.
func (s *Server) outdated() bool {
	return s.live.changed.Load() || s.live.child == nil && time.Since(s.live.asked) >= s.o.listAge
}

// refresh asks for the tools, which the server may have changed. If that fails it keeps the
// old list.
func (s *Server) refresh(outer context.Context) {
	ctx, cancel := context.WithTimeout(outer, min(relistTime, s.o.Timeout))
	defer cancel()
	s.live.changed.Store(false)
	announced, err := s.live.tools(ctx)
	s.live.asked = time.Now()
	switch {
	case err == nil:
		s.adopt(announced)
	case outer.Err() == nil:
		s.warnOnce("does not list its tools again, and is used with those that it had")
	}
}

// problem returns an error that names the server.
func (s *Server) problem(format string, values ...any) error {
	return fmt.Errorf("MCP server %q %w", s.o.Name, fmt.Errorf(format, values...))
}

func (s *Server) warn(format string, values ...any) {
	if s.o.Warn != nil {
		s.o.Warn(fmt.Sprintf("MCP server %q ", s.o.Name) + shown(s.o.Mask, fmt.Sprintf(format, values...), maxWarning))
	}
}

// warnOnce is warn for what a server may do again and again.
func (s *Server) warnOnce(format string, values ...any) {
	message := fmt.Sprintf(format, values...)
	s.mu.Lock()
	told := s.told[message] || len(s.told) >= maxWarnings
	s.told[message] = true
	s.mu.Unlock()
	if !told {
		s.warn("%s", message)
	}
}
