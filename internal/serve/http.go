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

// minToken is the minimum length of a token, in bytes.
const minToken = 16

// ReadToken reads the token in a file, without the blanks around it.
func ReadToken(file string) (string, error) {
	text, err := host.ReadSource(file)
	token := strings.TrimSpace(string(text))
	if err == nil && len(token) < minToken {
		err = fmt.Errorf("the token is shorter than %d characters", minToken)
	}
	if err != nil {
		err = steps.Invalid("to make one: openssl rand -hex 32 >FILE", "%s: %v", file, err)
	}
	return token, err
}

// The limits of a client.
const (
	idleSession = time.Hour // a session of which nothing is heard
	slowHeader  = 10 * time.Second
	maxHeader   = 64 << 10
)

// Listen listens on an address of the loopback interface, host:port. The port 0 is any free one.
// The caller closes the listener.
func Listen(ctx context.Context, address string) (net.Listener, error) {
	name, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, steps.Invalid("such as 127.0.0.1:7777", "the address %q: expected host:port", address)
	}
	if ip := net.ParseIP(name); name != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, steps.Invalid("listen on 127.0.0.1, behind a server with TLS that forwards to it", "the address %q is not on the loopback interface", address)
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("the address %q: %w", address, err)
	}
	return listener, nil
}

// HTTP serves clients that have the token, by streamable HTTP under /mcp, until ctx ends. It closes
// the listener, and returns when all runs have ended.
func (s *Server) HTTP(ctx context.Context, listener net.Listener, token string) error {
	defer s.quiesce()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(errEnding)
	var posts posts
	s.sdk.AddReceivingMiddleware(s.refreshing, until(ctx), posts.bind)
	served := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.sdk }, &sdk.StreamableHTTPOptions{SessionTimeout: idleSession})
	mux := http.NewServeMux()
	mux.Handle("/mcp", authorized(token, http.NewCrossOriginProtection().Handler(posts.mark(served))))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: slowHeader, MaxHeaderBytes: maxHeader}
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

// quiesceFor closes the server, after a short time for the answers of cancelled runs.
func (s *Server) quiesceFor(server *http.Server) {
	const patience = 2 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), s.o.Run.Grace+patience)
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
			http.Error(w, "the token is missing or wrong", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// posts are the HTTP requests of calls. A call ends with its request, as nobody would get the
// answer.
type posts struct {
	last atomic.Int64
	open sync.Map // contexts by what postHeader says
}

// postHeader identifies the request of a call. The value that a client sends is overwritten.
const postHeader = "Flow-Request"

// mark sets the header of requests.
func (p *posts) mark(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := strconv.FormatInt(p.last.Add(1), 10)
		r.Header.Set(postHeader, id)
		p.open.Store(id, r.Context())
		defer p.open.Delete(id)
		next.ServeHTTP(w, r)
	})
}

// bind ends calls with their requests.
func (p *posts) bind(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		extra := cmp.Or(r.GetExtra(), &sdk.RequestExtra{})
		if post, ok := p.open.Load(extra.Header.Get(postHeader)); ok {
			return until(post.(context.Context))(next)(ctx, method, r)
		}
		return next(ctx, method, r)
	}
}
