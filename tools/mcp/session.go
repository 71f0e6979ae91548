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

// A session is one connection to a server, from its start to its end.
type session struct {
	client  *sdk.ClientSession
	conn    *heldConnection
	child   *child // nil for a server that was not started here
	release func() // of what a connection by HTTP keeps open
	changed atomic.Bool
	ending  atomic.Bool // it is ended from here
	ended   chan struct{}
	reason  string // once ended is closed
	watcher conc.WaitGroup
}

// A heldConnection keeps the connection that a client makes, to close it from
// below: a client waits for its calls.
type heldConnection struct {
	sdk.Transport
	made sdk.Connection
}

// Connect connects, once.
func (h *heldConnection) Connect(ctx context.Context) (sdk.Connection, error) {
	var err error
	h.made, err = h.Transport.Connect(ctx)
	return h.made, err
}

func (h *heldConnection) close() {
	if h.made != nil {
		_ = h.made.Close() // it is broken, or about to be
	}
}

// connect starts or reaches the server, and agrees on the protocol.
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
	live.conn = &heldConnection{Transport: transport}
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

// discover is the request that the first of two handshakes is made of. A server that
// does not know it answers so, and is asked by the other one.
const discover = "server/discover"

// A firstTry is the first handshake with a server.
type firstTry struct {
	server *Server
	broke  error // what it failed with, unless it was refused or had no answer, which the connection outlives
}

// leaveTime gives the first handshake a part of the time: a server that leaves what it
// does not know without an answer has the rest of it for the other one.
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
			f.server.warnOnce("leaves %q without an answer: it takes %v longer to start; startup_timeout bounds that", discover, most)
		}
		if answered := new(jsonrpc.Error); first.Err() == nil && !errors.As(err, &answered) {
			f.broke = err
		}
		return result, err
	}
}

// cause is why there is no session. Where the first handshake broke the connection, the
// other one finds it closed, and may see nothing of the reason.
func (f *firstTry) cause(err error) error {
	if errors.Is(err, sdk.ErrConnectionClosed) && f.broke != nil {
		return f.broke
	}
	return err
}

// abandon ends what could not be connected to. Where its process has ended by
// itself, that is why.
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

// An endedError says that a server's process has ended by itself.
type endedError struct{ status string }

// Error is how it ended.
func (e *endedError) Error() string { return "it ended: " + e.status }

// junk is told of the first line that is no message.
func (s *Server) junk(line string) {
	s.warnOnce("prints on its standard output what is no message: %q", shown(line, 200))
}

// shortWait is how long the end of a process may follow that of its pipes.
const shortWait = 500 * time.Millisecond

// watch waits for the end of the session, and tells of it where nobody here
// wanted it.
func (s *Server) watch(v *session) {
	err := v.client.Wait()
	v.conn.close()
	_ = v.client.Close() // lets go of what listens for changes
	v.release()
	broken := err != nil && !errors.Is(err, io.EOF)
	v.reason = "it closed the connection"
	if broken {
		v.reason = shown(err.Error(), mostWarning)
	}
	if v.child != nil {
		if !broken && v.child.endedBy(shortWait) {
			v.reason = v.child.status()
		}
		v.child.end()
		v.reason += s.journal.lastWords()
	}
	if !v.ending.Load() {
		s.warn("ended: %s", v.reason) // before the calls fail that wait for it
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

// why says how the session ended.
func (v *session) why() string {
	<-v.ended
	return v.reason
}

// end ends the session and what runs for it.
func (v *session) end() {
	v.ending.Store(true)
	if v.child != nil {
		v.child.end()
	}
	v.conn.close()
	v.watcher.Wait()
}

const (
	mostPages = 100
	mostTools = 1000
)

// tools asks for the list of tools, page by page.
func (v *session) tools(ctx context.Context) ([]*sdk.Tool, error) {
	var all []*sdk.Tool
	cursor := ""
	for range mostPages {
		page, err := v.client.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
		if unknownMethod(err) {
			return all, nil // a server without tools
		}
		if err != nil {
			return nil, err
		}
		all = append(all, page.Tools...)
		if len(all) > mostTools {
			return nil, fmt.Errorf("it lists more than %d tools", mostTools)
		}
		if cursor = page.NextCursor; cursor == "" {
			return all, nil
		}
	}
	return nil, fmt.Errorf("its list of tools has more than %d pages", mostPages)
}

func unknownMethod(err error) bool {
	var answered *jsonrpc.Error
	return errors.As(err, &answered) && (answered.Code == jsonrpc.CodeMethodNotFound || strings.Contains(answered.Message, "does not support tools"))
}
