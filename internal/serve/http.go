package serve

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/sourcegraph/conc"

	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/steps"
)

// shortestToken is how many bytes a token has at least.
const shortestToken = 16

// ReadToken reads the token of a file, without the blanks around it.
func ReadToken(file string) (string, error) {
	text, err := host.ReadSource(file)
	token := strings.TrimSpace(string(text))
	if err == nil && len(token) < shortestToken {
		err = fmt.Errorf("the token has less than %d characters", shortestToken)
	}
	return token, err
}

// The bounds of what a client may do to the server.
const (
	idleSession = time.Hour // a session of which nothing is heard
	slowHeader  = 10 * time.Second
	mostHeader  = 64 << 10
)

// Listen returns a listener on an address of the loopback interface, which is
// host:port; with the port 0 any free one. It is the caller's to close.
func Listen(ctx context.Context, address string) (net.Listener, error) {
	name, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, steps.Invalid("such as 127.0.0.1:7777", "the address %q: host:port was expected", address)
	}
	if ip := net.ParseIP(name); name != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, steps.Invalid("listen on 127.0.0.1, and let a server with TLS before it forward to it", "the address %q is not on the loopback interface", address)
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("the address %q: %w", address, err)
	}
	return listener, nil
}

// HTTP serves whoever has the token, by streamable HTTP under /mcp, until ctx ends. It
// closes the listener, and returns when no run goes on any more.
func (s *Server) HTTP(ctx context.Context, listener net.Listener, token string) error {
	if len(token) < shortestToken {
		return errors.Join(fmt.Errorf("the token is shorter than %d bytes", shortestToken), listener.Close())
	}
	defer s.quiesce()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(errEnding)
	var posts posts
	s.sdk.AddReceivingMiddleware(s.refreshing, until(ctx), posts.bind)
	served := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.sdk }, &sdk.StreamableHTTPOptions{SessionTimeout: idleSession})
	mux := http.NewServeMux()
	mux.Handle("/mcp", authorized(token, http.NewCrossOriginProtection().Handler(posts.mark(served))))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: slowHeader, MaxHeaderBytes: mostHeader}
	var closer conc.WaitGroup
	defer closer.Wait()
	defer stop(errEnding)
	closer.Go(func() {
		<-ctx.Done()
		s.quiesceFor(server)
	})
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return context.Cause(ctx)
}

// quiesceFor lets runs that were cancelled answer, for a little, and closes the server.
func (s *Server) quiesceFor(server *http.Server) {
	const patience = 2 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), s.o.Grace+patience)
	defer cancel()
	_ = server.Shutdown(ctx) // streams of clients that only listen stay open
	_ = server.Close()
}

// authorized lets only requests with the token through.
func authorized(token string, next http.Handler) http.Handler {
	want := []byte("Bearer " + token)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), want) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "the token is missing, or another one", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// posts are the requests by HTTP that calls came with. A call whose request is gone
// has nobody who could be answered, so it ends.
type posts struct {
	last atomic.Int64
	open sync.Map // contexts by what postHeader says
}

// postHeader gives calls the request they came with. What a client says in it is
// overwritten.
const postHeader = "Flow-Request"

// mark names requests.
func (p *posts) mark(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := strconv.FormatInt(p.last.Add(1), 10)
		r.Header.Set(postHeader, id)
		p.open.Store(id, r.Context())
		defer p.open.Delete(id)
		next.ServeHTTP(w, r)
	})
}

// bind ends calls with the requests that they came with.
func (p *posts) bind(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		extra := cmp.Or(r.GetExtra(), &sdk.RequestExtra{})
		if post, ok := p.open.Load(extra.Header.Get(postHeader)); ok {
			return until(post.(context.Context))(next)(ctx, method, r)
		}
		return next(ctx, method, r)
	}
}
