package providertest

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
)

// TestMoves begins a conversation of ten turns with one provider, goes on with another one,
// and comes back. Neither strict server may refuse a request, and nothing may be lost on the
// way but what only the other provider understands: its thoughts.
func TestMoves(t *testing.T) {
	for from, home := range formats() {
		for to, away := range formats() {
			t.Run(from+" to "+to, func(t *testing.T) { move(t, home, away) })
		}
	}
}

func move(t *testing.T, from, to format) {
	m := mover{t: t, req: providers.Request{
		System: "Be kind.", Tools: tools(), Conversation: "c", Messages: []providers.Message{providers.UserText("Go.")},
		Params: providers.Params{ReasoningEffort: "low"},
	}}
	home, away := m.side("home", from), m.side("away", to)
	for turn := range 10 {
		at := home
		if turn >= 4 && turn < 8 {
			at = away
		}
		m.turn(turn, at)
	}
}

// A side is one of the two providers, with its server.
type side struct {
	name   string
	ids    string // what the ids of its calls begin with
	server *server
	model  providers.Model
}

type mover struct {
	t   *testing.T
	req providers.Request
}

func (m *mover) side(name string, f format) side {
	s := newServer(m.t, f.Dialect())
	e := endpoint(s.URL)
	e.Provider, e.Ref, e.Model = name, name+"/model-1", cmp.Or(f.model, e.Model)
	return side{name, cmp.Or(f.ids, "call_"), s, f.New(e)}
}

// turn makes one request, and compares the conversation that the service received with the
// one that was sent.
func (m *mover) turn(n int, at side) {
	m.t.Helper()
	at.server.add(saying(n, at))
	message := send(m.t, at.model, m.req)
	sent := at.server.last().Messages
	if got, want := outline(sent), outline(aligned(at.name, m.req.Messages, sent)); got != want {
		m.t.Fatalf("turn %d, %s: sent:\n%s\nwant:\n%s", n, at.name, got, want)
	}
	other := map[string]string{"home": "away", "away": "home"}[at.name]
	if body := at.server.lastBody(); strings.Contains(body, "thought at "+other) {
		m.t.Errorf("turn %d: %s was sent what %s thought: %s", n, at.name, other, body)
	}
	m.req.Messages = append(m.req.Messages, message)
	if len(message.Calls()) > 0 {
		m.req.Messages = append(m.req.Messages, answerCalls(message))
		return
	}
	m.req.Messages = append(m.req.Messages, providers.UserText(fmt.Sprintf("And %d?", n)))
}

// add adds a reply to the list.
func (s *server) add(reply Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies = append(s.replies, reply)
}

// saying returns the answer of one turn: thoughts with several calls at once, with a call
// and a text, or with a text alone. So a conversation moves both within a turn and between
// two.
func saying(n int, at side) Reply {
	reply := Reply{Thinking: fmt.Sprintf("Turn %d, thought at %s.", n, at.name)}
	id := func(i int) string { return fmt.Sprintf("%s%d_%d", at.ids, n, i) }
	switch n % 4 {
	case 0:
		reply.Calls = []Call{{id(0), "read", `{"path":"a","n":12345678901234567890}`}, {id(1), "read", `{"path":"<b>"}`}, {id(2), "now", "{}"}}
	case 1:
		reply.Text, reply.Calls = "Let me look.", []Call{{id(0), "now", "{}"}}
	case 2:
		reply.Text = fmt.Sprintf("So it is, %d.", n)
	case 3:
		reply.Calls = []Call{{id(0), "read", `{"path":"ä"}`}}
	}
	return reply
}
