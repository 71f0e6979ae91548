package providertest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
)

// A server plays a service that answers with a list of replies, in order, and
// refuses with 400 what the service would refuse.
type server struct {
	*httptest.Server
	dialect Dialect
	t       *testing.T

	mu      sync.Mutex
	replies []Reply
	asked   []Asked
	bodies  []string
}

// newServer starts a server, which ends with the test.
func newServer(t *testing.T, dialect Dialect, replies ...Reply) *server {
	s := &server{dialect: dialect, replies: replies, t: t}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *server) serve(w http.ResponseWriter, r *http.Request) {
	reply, err := s.replyTo(r)
	if err != nil {
		s.t.Errorf("the server refused a request: %v", err)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"error":{"type":"invalid_request_error","message":%q}}`, err)
		return
	}
	Answer(w, s.dialect, reply)
}

// replyTo checks a request and returns the reply to it.
func (s *server) replyTo(r *http.Request) (Reply, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return Reply{}, err
	}
	if r.Header.Get("X-Secret") != secretHeader {
		return Reply{}, fmt.Errorf("a header of the options is missing")
	}
	asked, err := readRequest(s.dialect, r.URL, body)
	if err != nil {
		return Reply{}, fmt.Errorf("%w in %s", err, body)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, asked)
	s.bodies = append(s.bodies, string(body))
	if len(s.asked) > len(s.replies) {
		return Reply{}, fmt.Errorf("request %d of %d", len(s.asked), len(s.replies))
	}
	return s.replies[len(s.asked)-1], nil
}

// last returns the last request.
func (s *server) last() Asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.asked) == 0 {
		s.t.Fatal("no request was made")
	}
	return s.asked[len(s.asked)-1]
}

func (s *server) lastBody() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bodies[len(s.bodies)-1]
}

// tools are what the conversations offer.
func tools() []providers.ToolSpec {
	return []providers.ToolSpec{
		{Name: "read", Description: "Reads a file.", Parameters: []byte(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)},
		{Name: "now", Description: "Tells the time.", Parameters: []byte(`{"type":"object","properties":{}}`)},
	}
}
