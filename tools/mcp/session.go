package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/sourcegraph/conc"
)

// session is one connection to a server.
type session struct {
	client  *sdk.ClientSession
	conn    *closableTransport
	child   *child // nil for a server that was not started here
	release func() // closes idle HTTP connections
	changed atomic.Bool
	ending  atomic.Bool // end was called
	ended   chan struct{}
	reason  string // why it ended; set before ended is closed
	watcher conc.WaitGroup

	asked time.Time // when it was asked for its tools; guarded by the server's turn
}

// closableTransport keeps the connection of a client, to close it directly: closing the client
// would wait for its calls.
type closableTransport struct {
	sdk.Transport
	made sdk.Connection
}

// Connect connects, once.
func (h *closableTransport) Connect(ctx context.Context) (sdk.Connection, error) {
	var err error
	h.made, err = h.Transport.Connect(ctx)
	return h.made, err
}

func (h *closableTransport) close() {
	if h.made != nil {
		_ = h.made.Close() // it is broken, or about to be
	}
}

// connect starts or reaches the server, and makes the handshake.
func (s *Server) connect(ctx context.Context) (*session, error) {
	live := &session{ended: make(chan struct{}), release: func() {}}
	transport := s.o.transport
	switch {
	case transport != nil:
	case len(s.o.Command) > 0:
		started, err := startChild(s.o, s.journal)
		if err != nil {
			return nil, err
		}
		live.child, transport = started, &lines{in: started.stdout, out: started.stdin, junk: s.junk}
	default:
		transport, live.release = s.httpTransport()
	}
	live.conn = &closableTransport{Transport: transport}
	client := sdk.NewClient(&sdk.Implementation{Name: "flow", Version: s.o.Version}, &sdk.ClientOptions{
		Capabilities:           &sdk.ClientCapabilities{}, // nil would offer roots
		MultiRoundTrip:         &sdk.MultiRoundTripOptions{Disabled: true},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { live.changed.Store(true) },
	})
	first := &firstTry{server: s}
	client.AddSendingMiddleware(first.leaveTime)
	var err error
	if live.client, err = client.Connect(ctx, live.conn, nil); err != nil {
		return nil, live.abandon(ctx, first.cause(err))
	}
	live.watcher.Go(func() { s.watch(live) })
	return live, nil
}

// discover is the request of the first of two handshakes. A server that does not know the
// request should answer with an error; then the other handshake follows.
const discover = "server/discover"

// firstTry is the first handshake with a server.
type firstTry struct {
	server *Server
	broke  error // the error that broke the connection; nil if the request was refused or not answered
}

// leaveTime limits the time of the first handshake, so that time for the other one is left
// if a server does not answer requests that it does not know.
func (f *firstTry) leaveTime(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if method != discover {
			return next(ctx, method, req)
		}
		most := f.server.o.firstTry
		first, cancel := context.WithTimeout(ctx, most)
		defer cancel()
		result, err := next(first, method, req)
		if first.Err() != nil && ctx.Err() == nil {
			f.server.warnOnce("leaves %q without an answer: it takes %v longer to start; startup_timeout bounds that", discover, most.Round(time.Millisecond))
		}
		if answered := new(jsonrpc.Error); first.Err() == nil && !errors.As(err, &answered) {
			f.broke = err
		}
		return result, err
	}
}

// cause returns why there is no session. If the first handshake broke the connection, the
// error of the other one may only say that it is closed.
func (f *firstTry) cause(err error) error {
	if errors.Is(err, sdk.ErrConnectionClosed) && f.broke != nil {
		return f.broke
	}
	return err
}

// abandon ends a session without a handshake, and returns why there was none: err, or that
// the process has ended.
func (v *session) abandon(ctx context.Context, err error) error {
	v.conn.close()
	v.release()
	if v.child == nil {
		return err
	}
	if ctx.Err() == nil && v.child.endedBy(shortWait) {
		err = &endedError{v.child.status()}
	}
	v.child.end()
	return err
}

// endedError is the error that a server's process has ended by itself.
type endedError struct{ status string }

// Error returns how it ended.
func (e *endedError) Error() string { return "it ended with " + e.status }

// junk warns of a line that is not a message.
func (s *Server) junk(line string) {
	s.warnOnce("prints a line that is not a message on its standard output: %q", shown(s.o.Mask, line, 200))
}

// shortWait is how long after its pipes a process may end.
const shortWait = 500 * time.Millisecond

// watch waits for the end of the session, and warns of it unless end was called.
func (s *Server) watch(v *session) {
	err := v.client.Wait()
	v.conn.close()
	_ = v.client.Close() // ends the listening for changes
	v.release()
	broken := err != nil && !errors.Is(err, io.EOF)
	v.reason = "it closed the connection"
	if broken {
		v.reason = shown(s.o.Mask, err.Error(), maxWarning)
	}
	if v.child != nil {
		if !broken && v.child.endedBy(shortWait) {
			v.reason = v.child.status()
		}
		v.child.end()
		v.reason += s.journal.lastWords(s.o.Mask)
	}
	if !v.ending.Load() {
		s.warn("ended: %s", v.reason) // before the waiting calls fail
	}
	close(v.ended)
}

// gone reports whether the session has ended.
func (v *session) gone() bool {
	select {
	case <-v.ended:
		return true
	default:
		return false
	}
}

// why waits for the end of the session, and returns the reason.
func (v *session) why() string {
	<-v.ended
	return v.reason
}

// end ends the session and its process.
func (v *session) end() {
	v.ending.Store(true)
	if v.child != nil {
		v.child.end()
	}
	v.conn.close()
	v.watcher.Wait()
}

const (
	maxPages = 100
	maxTools = 1000
)

// tools requests the list of tools, page by page.
func (v *session) tools(ctx context.Context) ([]*sdk.Tool, error) {
	var all []*sdk.Tool
	cursor := ""
	for range maxPages {
		page, err := v.client.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
		if unknownMethod(err) {
			return all, nil // a server without tools
		}
		if err != nil {
			return nil, err
		}
		all = append(all, page.Tools...)
		if len(all) > maxTools {
			return nil, fmt.Errorf("it lists more than %d tools", maxTools)
		}
		if cursor = page.NextCursor; cursor == "" {
			return all, nil
		}
	}
	return nil, fmt.Errorf("its list of tools has more than %d pages", maxPages)
}

func unknownMethod(err error) bool {
	var answered *jsonrpc.Error
	return errors.As(err, &answered) && (answered.Code == jsonrpc.CodeMethodNotFound || strings.Contains(answered.Message, "does not support tools"))
}
