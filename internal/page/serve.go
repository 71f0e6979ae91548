package page

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/conc"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/view"
)

// A Server serves the page of one run, or of all runs below a folder. Only who has its token sees anything.
type Server struct {
	Token   string   // at least 16 characters
	Dir     string   // the run; "": all of those below Runs
	Runs    string   // the folder of runs
	Control *Control // nil: it looks and never touches

	listener net.Listener
	ending   context.Context // ends when the server does
	open     chan struct{}   // as many as may follow a run at once
	mu       sync.Mutex
	watches  map[string]*watch
}

const (
	maxOpen    = 32
	maxBody    = 256 << 10
	maxHeader  = 64 << 10
	slowHeader = 10 * time.Second
	slowClient = 30 * time.Second
	heartbeat  = 15 * time.Second
)

// NewToken returns a random token.
func NewToken() string { return rand.Text() }

// Address is what a person opens.
func (s *Server) Address(listener net.Listener) string {
	return fmt.Sprintf("http://%s/?token=%s", listener.Addr(), url.QueryEscape(s.Token))
}

// Serve serves until ctx ends. It closes the listener, and interrupts the runs that it has resumed.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	s.listener, s.ending, s.open, s.watches = listener, ctx, make(chan struct{}, maxOpen), map[string]*watch{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.first)
	mux.HandleFunc("GET /page.js", asset("text/javascript", script()))
	mux.HandleFunc("GET /page.css", asset("text/css", style()))
	mux.HandleFunc("GET /runs", s.list)
	mux.HandleFunc("GET /run/{id}", s.run)
	mux.HandleFunc("GET /run/{id}/events", s.of(s.events))
	mux.HandleFunc("GET /run/{id}/unit", s.of(s.unit))
	if s.Control != nil {
		mux.HandleFunc("POST /run/{id}/resume", s.of(s.resume))
		mux.HandleFunc("POST /run/{id}/cancel", s.of(s.cancel))
	}
	server := &http.Server{Handler: s.guarded(mux), ReadHeaderTimeout: slowHeader, MaxHeaderBytes: maxHeader}
	var closer conc.WaitGroup
	closer.Go(func() {
		<-ctx.Done()
		_ = server.Close()
	})
	err := server.Serve(listener)
	closer.Wait()
	if s.Control != nil {
		s.Control.wait()
	}
	if errors.Is(err, http.ErrServerClosed) {
		err = context.Cause(ctx)
	}
	return err
}

// guarded lets only those through who have the token, from pages of this server.
func (s *Server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("Content-Security-Policy", policy("'self'", "'self'", "'self'")+"; frame-ancestors 'none'")
		for name, value := range map[string]string{"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin"} {
			head.Set(name, value)
		}
		switch origin := r.Header.Get("Origin"); {
		case !s.isOurs(r.Host):
			http.Error(w, "this server has another name", http.StatusMisdirectedRequest)
		case origin != "" && origin != "http://"+r.Host, r.Method != http.MethodGet && (origin == "" || r.Header.Get("Content-Type") != "application/json"):
			http.Error(w, "only pages of this server may ask for that", http.StatusForbidden)
		case r.URL.Query().Has("token"):
			s.enter(w, r)
		case !s.hasPass(r):
			http.Error(w, "open the address, with its token, that flow view has printed", http.StatusForbidden)
		default:
			_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(slowClient))
			next.ServeHTTP(w, r)
		}
	})
}

// isOurs reports whether a host is one that the server listens on: no other name may lead to it.
func (s *Server) isOurs(host string) bool {
	address := s.listener.Addr().(*net.TCPAddr)
	name, port, err := net.SplitHostPort(host)
	if err != nil || port != fmt.Sprint(address.Port) {
		return false
	}
	if address.IP.IsLoopback() {
		ip := net.ParseIP(name)
		return name == "localhost" || ip != nil && ip.IsLoopback()
	}
	own, _ := os.Hostname()
	return net.ParseIP(name) != nil || name == "localhost" || strings.EqualFold(name, own)
}

// pass is what the token becomes as a cookie, which has not room for every character.
func (s *Server) pass() string {
	sum := sha256.Sum256([]byte("flow view: " + s.Token))
	return hex.EncodeToString(sum[:])
}

// cookieName has the port, since cookies of a host are those of all its ports.
func (s *Server) cookieName() string {
	return fmt.Sprintf("flow-view-%d", s.listener.Addr().(*net.TCPAddr).Port)
}

func (s *Server) hasPass(r *http.Request) bool {
	cookie, err := r.Cookie(s.cookieName())
	return err == nil && subtle.ConstantTimeCompare([]byte(cookie.Value), []byte(s.pass())) == 1
}

// enter makes a token in the address a cookie.
func (s *Server) enter(w http.ResponseWriter, r *http.Request) {
	if subtle.ConstantTimeCompare([]byte(r.URL.Query().Get("token")), []byte(s.Token)) != 1 {
		http.Error(w, "the token is another one", http.StatusForbidden)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: s.cookieName(), Value: s.pass(), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	w.Header().Set("Location", "/"+strings.TrimLeft(r.URL.EscapedPath(), "/")) // of this server
	w.WriteHeader(http.StatusSeeOther)
}

func asset(kind, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind+"; charset=utf-8")
		_, _ = w.Write([]byte(text))
	}
}

// first leads to the run, or shows the list of all.
func (s *Server) first(w http.ResponseWriter, r *http.Request) {
	if s.Dir != "" {
		http.Redirect(w, r, "/run/"+s.id(), http.StatusSeeOther)
		return
	}
	s.shell(w, "Runs", "", map[string]any{"runs": true})
}

// id is the name of the only run.
func (s *Server) id() string {
	if whole, err := filepath.Abs(s.Dir); err == nil {
		return filepath.Base(whole)
	}
	return filepath.Base(s.Dir)
}

// list lists all runs.
func (s *Server) list(w http.ResponseWriter, _ *http.Request) {
	if s.Dir != "" {
		http.Error(w, "this server shows one run", http.StatusNotFound)
		return
	}
	runs, err := view.Choice{}.List(s.Runs)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	answer(w, runs)
}

// run shows a run.
func (s *Server) run(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	dir, err := s.find(id)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	s.shell(w, id, graph(stepsOf(dir)), map[string]any{"live": true, "id": id, "one": s.Dir != "", "control": s.Control != nil})
}

func (s *Server) shell(w http.ResponseWriter, title, graph string, data any) {
	text, err := json.Marshal(data)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, "%s<script type=\"application/json\" class=\"data\">%s</script>\n<script src=\"/page.js\"></script>\n</body>\n</html>\n", shell(title, "<link rel=\"stylesheet\" href=\"/page.css\">", graph), text)
}

// stepsOf returns the steps of a run as its files are now; none if it can't be read, which its page says.
func stepsOf(dir string) []journal.Step {
	began, err := runner.ReadBeginning(dir)
	if err != nil {
		return nil
	}
	return began.Steps
}

// find returns the folder of a run.
func (s *Server) find(id string) (string, error) {
	if s.Dir != "" {
		if id != s.id() {
			return "", journal.ErrNoRun
		}
		return s.Dir, nil
	}
	return journal.FindBelow(s.Runs, id)
}

// of is a handler that is about a run.
func (s *Server) of(next func(w http.ResponseWriter, r *http.Request, of *watch)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		dir, err := s.find(r.PathValue("id"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		of := s.watch(dir)
		defer s.leave(of)
		next(w, r, of)
	}
}

// watch returns the watch of a run, which its last user closes.
func (s *Server) watch(dir string) *watch {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.watches[dir]
	if of == nil {
		of = &watch{dir: dir}
		s.watches[dir] = of
	}
	of.used++
	return of
}

func (s *Server) leave(of *watch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of.used--; of.used == 0 {
		of.close()
		delete(s.watches, of.dir)
	}
}

// events sends a run, and then what changes in it.
func (s *Server) events(w http.ResponseWriter, r *http.Request, of *watch) {
	select {
	case s.open <- struct{}{}:
		defer func() { <-s.open }()
	default:
		http.Error(w, "too many pages are open", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	stream := http.NewResponseController(w)
	var known sent
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for last := time.Now(); ; {
		data, err := of.since(&known, s.Control.of(of.dir))
		if err != nil {
			return
		}
		text := ": still here\n\n"
		if data != nil {
			text = "data: " + string(data) + "\n\n"
		}
		if data != nil || time.Since(last) > heartbeat {
			last = time.Now()
			_ = stream.SetWriteDeadline(last.Add(slowClient))
			if _, err := w.Write([]byte(text)); err != nil || stream.Flush() != nil {
				return
			}
		}
		select {
		case <-tick.C:
		case <-r.Context().Done():
			return
		case <-s.ending.Done():
			return
		}
	}
}

// unit sends a unit with its records.
func (s *Server) unit(w http.ResponseWriter, r *http.Request, of *watch) {
	address, err := journal.ParseAddress(r.URL.Query().Get("unit"))
	if err != nil || address.IsZero() {
		http.Error(w, "expected the address of a unit", http.StatusBadRequest)
		return
	}
	u, err := of.unit(address)
	switch {
	case errors.Is(err, view.ErrNoUnit):
		http.Error(w, err.Error(), http.StatusNotFound)
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	default:
		answer(w, []*Unit{u})
	}
}

func answer(w http.ResponseWriter, value any) {
	data, err := json.Marshal(value)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(data)
}
