package host_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sourcegraph/conc/pool"

	"github.com/a-seed-11b9befa/flow/providers/providertest"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/view"
)

const greet = `name: greet
model: script/greet.script.yaml
inputs:
  name: {type: string, pattern: '^[A-Z]'}
  times: {type: integer, default: 1}
steps:
  - id: look
    tools: [glob]
    prompt: Who is ${{ inputs.name }}? Say it ${{ inputs.times }} times.
outputs: {said: "${{ steps.look.output }}"}
`

const greetScript = `steps:
  look:
    - calls: [{name: glob, arguments: {pattern: '*.yaml'}}]
    - text: 'Hello ${{ find(prompt, "Who is (\\S+)\\?", 1) }}.'
`

// serving starts the service on the files, in a folder of the test's own.
func serving(t *testing.T, env map[string]string, files map[string]string) *httptest.Server {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lookup := func(name string) (string, bool) { value, ok := env[name]; return value, ok }
	s, err := newService("main.yaml", "runs", "", host.Environment{Lookup: lookup})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s)
	t.Cleanup(func() {
		server.CloseClientConnections()
		s.close()
		server.Close()
	})
	return server
}

// begun begins a run, and returns where it is followed.
func begun(t *testing.T, server *httptest.Server, inputs string) string {
	t.Helper()
	answer, err := http.Post(server.URL+"/runs", "application/json", strings.NewReader(inputs))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusCreated {
		t.Fatalf("status %s", answer.Status)
	}
	return server.URL + answer.Header.Get("Location")
}

type served struct {
	Counts  view.Counts       `json:"counts"`
	Running map[string]string `json:"running"`
	Status  string            `json:"status"`
	Outputs struct {
		Said string `json:"said"`
	} `json:"outputs"`
}

// followed follows a run to its end, and returns what was said of it last before
// that, and its result. All that is said of it goes to saw, which may be nil.
func followed(ctx context.Context, url string, saw func(served)) (last, result served, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return last, result, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return last, result, err
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	event := ""
	for lines.Scan() {
		if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			event = name
		}
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		switch event {
		case "progress":
			last = served{}
			if err = json.Unmarshal([]byte(data), &last); err == nil && saw != nil {
				saw(last)
			}
		case "result":
			err = json.Unmarshal([]byte(data), &result)
		default:
			err = fmt.Errorf("%s: %s", event, data)
		}
		if err != nil {
			return last, result, err
		}
	}
	if err = lines.Err(); err == nil && result.Status == "" {
		err = errors.New("no result")
	}
	return last, result, err
}

// deleted deletes a run, which is answered by a status.
func deleted(t *testing.T, url string, want int) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != want {
		t.Errorf("deleted: %s, want %d", answer.Status, want)
	}
}

// TestServe: a result can be had again until it is deleted.
func TestServe(t *testing.T) {
	server := serving(t, nil, map[string]string{"main.yaml": greet, "greet.script.yaml": greetScript})
	url := begun(t, server, `{"name": "Ann", "times": 2}`)
	for range 2 {
		if _, result, err := followed(t.Context(), url, nil); err != nil || result.Status != "succeeded" || result.Outputs.Said != "Hello Ann." {
			t.Errorf("%+v, %v", result, err)
		}
	}
	for _, want := range []int{http.StatusNoContent, http.StatusNotFound} {
		deleted(t, url, want)
	}
	if _, _, err := followed(t.Context(), url, nil); err == nil {
		t.Error("a run is followed that was deleted")
	}
}

func TestServeRefuses(t *testing.T) {
	server := serving(t, nil, map[string]string{"main.yaml": greet, "greet.script.yaml": greetScript})
	for inputs, want := range map[string]string{
		`{}`:                          `input "name" is missing`,
		`{"name": 3}`:                 `input "name"`,
		`{"name": "ann"}`:             `input "name"`,
		`{"name": "Ann", "tmies": 2}`: `"times"`,
		`{"name": "Ann", "times": 1.5, "name": "Ann"}`: `input "times"`,
		`[]`: "JSON object",
		`{`:  "JSON object",
	} {
		answer, err := http.Post(server.URL+"/runs", "application/json", strings.NewReader(inputs))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := bufio.NewReader(answer.Body).ReadString(0)
		answer.Body.Close()
		if answer.StatusCode != http.StatusBadRequest || !strings.Contains(body, want) {
			t.Errorf("%s: %s %s", inputs, answer.Status, body)
		}
	}
	if dirs, _ := filepath.Glob("runs/*"); len(dirs) > 0 {
		t.Errorf("folders of runs that did not begin: %v", dirs)
	}
}

const slow = `name: slow
model: here/m
providers: {here: {api: openai-chat, base_url: "%s/v1", max_concurrent: 1}}
steps: [{id: ask, prompt: Hi}]
outputs: {said: "${{ steps.ask.output }}"}
`

// TestServeSharesLimits has five runs go on at once that ask a service which takes
// one request at a time, and answers none before all of them ask.
func TestServeSharesLimits(t *testing.T) {
	const runs = 5
	var now atomic.Int32
	var together atomic.Bool
	var silent sync.WaitGroup // runs that do not ask yet
	silent.Add(runs)
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if now.Add(1) > 1 {
			together.Store(true)
		}
		defer now.Add(-1)
		silent.Wait()
		providertest.Answer(w, providertest.Chat{}, providertest.Reply{Text: "Hello."})
	}))
	defer model.Close()
	server := serving(t, nil, map[string]string{"main.yaml": fmt.Sprintf(slow, model.URL)})
	all := pool.New().WithErrors()
	for range runs {
		url := begun(t, server, `{}`)
		all.Go(func() error {
			asks := sync.OnceFunc(silent.Done)
			defer asks()
			last, result, err := followed(t.Context(), url, func(s served) {
				if s.Running["ask"] == "turn 1" {
					asks()
				}
			})
			if err == nil && (result.Outputs.Said != "Hello." || last.Counts.Turns > 1) {
				err = fmt.Errorf("%+v, %+v", last, result)
			}
			return err
		})
	}
	if err := all.Wait(); err != nil || together.Load() {
		t.Errorf("several requests at once: %v, %v", together.Load(), err)
	}
}

// TestServeCancels deletes a run while the model is asked. Who only hangs up ends nothing.
func TestServeCancels(t *testing.T) {
	asked, gone := make(chan struct{}, 9), make(chan struct{}, 9)
	model := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		asked <- struct{}{}
		<-r.Context().Done()
		gone <- struct{}{}
	}))
	defer model.Close()
	server := serving(t, nil, map[string]string{"main.yaml": fmt.Sprintf(slow, model.URL)})
	url := begun(t, server, `{}`)
	for range 2 {
		answer, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(answer.Body)
		for line := ""; !strings.Contains(line, `"ask":"turn 1`); {
			if line, err = lines.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
		answer.Body.Close()
	}
	<-asked
	deleted(t, url, http.StatusNoContent)
	<-gone // the model is not asked any more
	if _, _, err := followed(t.Context(), url, nil); err == nil {
		t.Error("a run that was deleted has a result")
	}
}

// TestServeResumes: a new service goes on with a run whose process was killed.
func TestServeResumes(t *testing.T) {
	t.Chdir(t.TempDir())
	files := map[string]string{"main.yaml": greet, "greet.script.yaml": greetScript}
	for name, text := range files {
		put(t, name, text)
	}
	loaded, found := host.Load("main.yaml", host.LoadOptions{Environment: variables(nil)})
	if loaded == nil {
		t.Fatal(found)
	}
	h, err := host.Open(t.Context(), host.Options{Loaded: loaded, ID: "cut", Dir: "runs/cut", Inputs: map[string]any{"name": "Ann"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("runs", "cut", journal.File)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(string(whole), "\n"), "\n")
	put(t, path, strings.Join(lines[:len(lines)-2], "")) // the end of the step and of the run is lost
	s, err := newService("main.yaml", "runs", "", variables(nil))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s)
	defer server.Close()
	defer s.close()
	_, result, err := followed(t.Context(), server.URL+"/runs/cut", nil)
	if err != nil || result.Status != "succeeded" || result.Outputs.Said != "Hello Ann." {
		t.Errorf("%+v, %v", result, err)
	}
}

// TestServeStops: a new service goes on with a run that the end of the last one has cancelled, and
// not with one that was deleted.
func TestServeStops(t *testing.T) {
	t.Chdir(t.TempDir())
	asked := make(chan struct{}, 9)
	var answers atomic.Bool
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if answers.Load() {
			providertest.Answer(w, providertest.Chat{}, providertest.Reply{Text: "Hello."})
			return
		}
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	defer model.Close()
	put(t, "main.yaml", fmt.Sprintf(strings.Replace(slow, "max_concurrent: 1", "max_concurrent: 2", 1), model.URL))
	var kept, gone string
	for _, first := range []bool{true, false} {
		s, err := newService("main.yaml", "runs", "", variables(nil))
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(s)
		if first {
			kept, gone = strings.TrimPrefix(begun(t, server, `{}`), server.URL), strings.TrimPrefix(begun(t, server, `{}`), server.URL)
			<-asked
			<-asked
			deleted(t, server.URL+gone, http.StatusNoContent)
		} else {
			if _, result, err := followed(t.Context(), server.URL+kept, nil); err != nil || result.Status != "succeeded" || result.Outputs.Said != "Hello." {
				t.Errorf("%+v, %v", result, err)
			}
			deleted(t, server.URL+gone, http.StatusNotFound)
		}
		server.Close()
		s.close()
		answers.Store(true)
	}
	if left, err := os.ReadDir("runs"); err != nil || len(left) != 1 || !strings.HasSuffix(kept, left[0].Name()) {
		t.Errorf("%v are left, %v; want %s", left, err, kept)
	}
}
