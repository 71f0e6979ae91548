package host_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers/providertest"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/steps"
)

// TestLimitsAreThoseOfAServiceAndAKey has six elements of two steps ask at once, and none
// answered before all of them do. Of one service with one key they share its limit,
// whatever the models are called; another key has a limit of its own.
func TestLimitsAreThoseOfAServiceAndAKey(t *testing.T) {
	const text = `name: two
providers:
  here: {api: openai-chat, base_url: "%[1]s/v1", api_key_env: ONE, max_concurrent: 1}
  there: {api: openai-chat, base_url: "%[1]s/v1", api_key_env: TWO, max_concurrent: 1}
steps:
  - {id: a, model: here/a, foreach: [1, 2, 3], prompt: Hi, needs: []}
  - {id: b, model: %[2]s, foreach: [1, 2, 3], prompt: Hi, needs: []}
`
	const elements = 6
	for _, c := range []struct {
		second string
		want   int32
	}{{"here/b", 1}, {"there/a", 2}} {
		t.Run(c.second, func(t *testing.T) {
			var now, requests atomic.Int32
			var tooMany atomic.Bool
			full, all := make(chan struct{}), make(chan struct{})
			isFull := sync.OnceFunc(func() { close(full) })
			model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				switch n := now.Add(1); {
				case n == c.want:
					isFull()
				case n > c.want:
					tooMany.Store(true)
				}
				defer now.Add(-1)
				<-full
				<-all
				providertest.Answer(w, providertest.Chat{}, providertest.Reply{Text: "Hello."})
			}))
			defer model.Close()
			t.Chdir(t.TempDir())
			put(t, "two.yaml", fmt.Sprintf(text, model.URL, c.second))
			h, err := host.Open(t.Context(), host.Options{
				File: "two.yaml", Environment: variables(map[string]string{"ONE": "k1", "TWO": "k2"}), MaxParallel: elements,
				Observe: func(e runner.Event) {
					if e.Type == steps.TurnStarted && requests.Add(1) == elements {
						close(all)
					}
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer h.Close()
			result, err := h.Run(t.Context())
			if err != nil || result.Status != steps.Succeeded || tooMany.Load() {
				t.Errorf("more than %d at once: %v, %v, %v", c.want, tooMany.Load(), result, err)
			}
		})
	}
}

// TestScriptsAreReadOnce runs a workflow again when its script is gone: models that
// are shared have read it, and each run plays it from its beginning.
func TestScriptsAreReadOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "once.yaml", "name: once\nmodel: script/once.script.yaml\nsteps: [{id: say, prompt: Hi}]\n")
	put(t, "once.script.yaml", "steps: {say: [{text: Hello.}]}\n")
	loaded, found := host.Load("once.yaml", host.LoadOptions{})
	if loaded == nil {
		t.Fatal(found)
	}
	models := host.NewModels(host.Environment{})
	for range 2 {
		h, err := host.Open(t.Context(), host.Options{Loaded: loaded, Models: models})
		if err != nil {
			t.Fatal(err)
		}
		if result, err := h.Run(t.Context()); err != nil || result.Text() != "Hello." {
			t.Errorf("%v, %v", result, err)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		_ = os.Remove("once.script.yaml")
	}
}

// TestServersEndWithTheirHost has a server that notes what it sees of the
// environment, and when its input ends.
func TestServersEndWithTheirHost(t *testing.T) {
	t.Setenv("FLOW_TEST_HIDDEN", "1")
	t.Chdir(t.TempDir())
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	put(t, "server.sh", `echo "hidden:$FLOW_TEST_HIDDEN" >seen
while read -r line; do
	id=$(printf %s "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
	case $line in
	*'"initialize"'*) answer='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
	*'"tools/list"'*) answer='{"tools":[{"name":"look","inputSchema":{"type":"object"}}]}' ;;
	*'"id"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"none"}}\n' "$id"; continue ;;
	*) continue ;;
	esac
	printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$answer"
done
echo ended >ended
`)
	put(t, "served.yaml", "name: served\nmcp: {s: {command: [sh, "+filepath.Join(here, "server.sh")+"], required: true}}\nsteps: [{id: say, run: 'true'}]\n")
	h, err := host.Open(t.Context(), host.Options{File: "served.yaml", Environment: variables(map[string]string{"PATH": os.Getenv("PATH")})})
	if err != nil {
		t.Fatal(err)
	}
	result, err := h.Run(context.WithoutCancel(t.Context()))
	if err != nil || result.Status != steps.Succeeded {
		t.Errorf("%v, %v", result, err)
	}
	if _, err := os.Stat("ended"); err == nil {
		t.Error("the server has ended before its host was closed")
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat("ended"); err != nil {
		t.Error("the server was not ended: ", err)
	}
	if seen, err := os.ReadFile("seen"); err != nil || string(seen) != "hidden:\n" {
		t.Errorf("the server saw %q, %v", seen, err)
	}
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// variables is an environment that has these alone.
func variables(set map[string]string) host.Environment {
	return host.Environment{Lookup: func(name string) (string, bool) { value, ok := set[name]; return value, ok }}
}
