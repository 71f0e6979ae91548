package serve

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
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

// Listen listens on an address, host:port, which for loopback has to be one of that interface. The
// port 0 is any free one. The caller closes the listener.
func Listen(ctx context.Context, address string, loopback bool) (net.Listener, error) {
	name, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, steps.Invalid("such as 127.0.0.1:7777", "the address %q: expected host:port", address)
	}
	if ip := net.ParseIP(name); loopback && name != "localhost" && (ip == nil || !ip.IsLoopback()) {
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
	s.sdk.AddReceivingMiddleware(s.refreshing, until(ctx), untilRequest)
	served := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.sdk }, &sdk.StreamableHTTPOptions{SessionTimeout: idleSession})
	mux := http.NewServeMux()
	mux.Handle("/mcp", auth.RequireBearerToken(verifier(token), nil)(http.NewCrossOriginProtection().Handler(served)))
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

// requestKey is where the info of a token has the context of its HTTP request.
const requestKey = "flow/request"

// verifier lets only requests with the token through.
func verifier(token string) auth.TokenVerifier {
	return func(_ context.Context, given string, r *http.Request) (*auth.TokenInfo, error) {
		if subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1 {
			return nil, auth.ErrInvalidToken
		}
		return &auth.TokenInfo{Expiration: time.Now().Add(idleSession), Extra: map[string]any{requestKey: r.Context()}}, nil
	}
}

// untilRequest ends calls with their HTTP requests, as nobody would get the answer.
func untilRequest(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		if extra := r.GetExtra(); extra != nil && extra.TokenInfo != nil {
			return until(extra.TokenInfo.Extra[requestKey].(context.Context))(next)(ctx, method, r)
		}
		return next(ctx, method, r)
	}
}
