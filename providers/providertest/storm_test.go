package providertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sourcegraph/conc"

	"github.com/a-seed-11b9befa/flow/providers"
)

// The size of the storm.
const (
	stormAgents = 200
	stormTurns  = 3  // requests of each agent
	stormBears  = 20 // requests at once that the service answers
	stormMost   = 64 // requests at once that the governor would let through
)

// TestStorm lets 200 agents talk at once to a service that serves 20 requests at a time,
// answers every other one with 429, and breaks each tenth answer, in turn in each way
// that a retry may cure. All conversations must succeed, the requests under way must
// settle at what the service can serve, and each refusal must be reported as an event.
func TestStorm(t *testing.T) {
	p := formats()["openai-chat"]
	s := &storm{t: t, dialect: p.Dialect(), tried: map[string]bool{}, spoiled: map[string]int{}}
	server := httptest.NewServer(http.HandlerFunc(s.serve))
	defer server.Close()
	e := endpoint(server.URL)
	e.FirstByteTimeout, e.IdleTimeout = 20*short, 5*short
	governor := providers.NewGovernor(providers.GovernorOptions{MaxConcurrent: stormMost})
	model := providers.Retry(providers.Limit(p.New(e), governor))

	var agents conc.WaitGroup
	var waste waste
	for i := range stormAgents {
		agents.Go(func() {
			if err := converse(model, i, &waste); err != nil {
				t.Errorf("agent %d: %v", i, err)
			}
		})
	}
	agents.Wait()
	s.report(&waste)
}

// A storm is the service of TestStorm.
type storm struct {
	t *testing.T

	mu       sync.Mutex
	dialect  Dialect
	tried    map[string]bool // by request: it was spoiled once
	spoiled  map[string]int  // by the way
	answered int
	refused  []int // for each refusal, how many answers had been given
	running  int
	most     int // requests that came in at once, since half of the answers
}

func (s *storm) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	serve, stream := s.decide(r, body)
	defer s.leave()
	time.Sleep(5 * time.Millisecond) // an answer takes its time, else nothing is ever at once
	serve(attempt{w, r, s.dialect, stream})
}

// decide decides how a request is answered.
func (s *storm) decide(r *http.Request, body []byte) (serve service, stream []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running++
	if s.answered > stormAgents*stormTurns/2 {
		s.most = max(s.most, s.running)
	}
	if s.running > stormBears {
		s.refused = append(s.refused, s.answered)
		return refuse(http.StatusTooManyRequests, soon(), "rate_limit_exceeded"), nil
	}
	asked, err := readRequest(s.dialect, r.URL, body)
	if err != nil {
		s.t.Errorf("the server refused a request: %v", err)
		return refuse(http.StatusBadRequest, nil, "invalid_request_error"), nil
	}
	agent, turn := asked.Messages[0].Text(), len(asked.Messages)/2
	stream = s.reply(agent, turn)
	if way := s.spoil(agent, turn); way != nil {
		return way, stream
	}
	s.answered++
	return spoil(1, 1, ""), stream
}

func (s *storm) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
}

// reply returns a call of a tool, or for the last turn a text that names the agent.
func (s *storm) reply(agent string, turn int) []byte {
	reply := Reply{Text: strings.Repeat("One moment. ", 10), Calls: []Call{{fmt.Sprintf("call_%d", turn), "now", "{}"}}}
	if turn == stormTurns-1 {
		reply = Reply{Text: "Done, " + agent}
	}
	var stream bytes.Buffer
	s.dialect.Write(&stream, reply)
	return stream.Bytes()
}

// soon returns the headers of a failing service that asks for a retry in a moment.
func soon() http.Header { return http.Header{"Retry-After-Ms": {"50"}} }

// spoil returns how a request fails: each tenth one does so once. It returns nil for the
// others.
func (s *storm) spoil(agent string, turn int) service {
	ways := []struct {
		name  string
		serve service
	}{
		{"408", refuse(408, soon(), "")},
		{"409", refuse(409, soon(), "")},
		{"500", refuse(500, soon(), "server_error")},
		{"503", refuse(503, soon(), "")},
		{"529", refuse(529, soon(), "overloaded_error")},
		{"connection reset", func(attempt) { panic(http.ErrAbortHandler) }},
		{"connection broken off", breakOff},
		{"cut stream", spoil(1, 2, "")},
		{"stalled stream", silenceInTheMiddle},
		{"no answer", silenceAfterHeaders},
		{"garbage", spoil(1, 2, "data: \x00\xff{]\n\n")},
		{"error in the stream", spoil(1, 2, `data: {"type":"error","error":{"type":"overloaded_error","message":"busy","code":503}}`+"\n\n")},
	}
	var number int
	fmt.Sscanf(agent, "agent %d", &number)
	number = number*stormTurns + turn
	key := fmt.Sprint(number)
	if number%10 != 0 || s.tried[key] {
		return nil
	}
	s.tried[key] = true
	way := ways[number/10%len(ways)]
	s.spoiled[way.name]++
	return way.serve
}

// A waste sums up the retries that the events of all agents report.
type waste struct {
	mu      sync.Mutex
	retried int
}

func (w *waste) add(e providers.Event) {
	var told *providers.Error
	if e.Type != providers.Retried || !errors.As(e.Err, &told) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.retried++
}

// converse runs one agent, which answers calls until there are none.
func converse(model providers.Model, agent int, w *waste) error {
	name := fmt.Sprintf("agent %d", agent)
	req := providers.Request{Messages: []providers.Message{providers.UserText(name)}, Tools: tools(), Conversation: name}
	for range stormTurns - 1 {
		answer, err := model.Stream(context.Background(), req, w.add)
		if err != nil {
			return err
		}
		if len(answer.Calls()) != 1 {
			return fmt.Errorf("answer %+v", answer)
		}
		req.Messages = append(req.Messages, answer, answerCalls(answer))
	}
	answer, err := model.Stream(context.Background(), req, w.add)
	if err == nil && answer.Text() != "Done, "+name {
		err = fmt.Errorf("the end is %q", answer.Text())
	}
	return err
}

// report checks what the service has seen.
func (s *storm) report(w *waste) {
	const answers = stormAgents * stormTurns
	late := 0
	for _, at := range s.refused {
		if at > answers/2 {
			late++
		}
	}
	s.t.Logf("%d answers, %d refusals (%d of them in the second half, when at most %d requests came at once), spoiled %v; the agents retried %d times",
		s.answered, len(s.refused), late, s.most, s.spoiled, w.retried)
	if s.answered < answers || len(s.spoiled) < 12 { // one that comes too late is asked for again
		s.t.Errorf("%d answers, spoiled in %d ways; want at least %d, 12", s.answered, len(s.spoiled), answers)
	}
	if len(s.refused) > answers/5 || late > answers/20 || s.most > stormBears+5 {
		s.t.Error("the requests did not settle at what the service bears")
	}
}
