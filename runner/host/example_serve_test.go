package host_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/conc"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A service that runs a workflow over HTTP: here one run is begun, and followed to its end.
func Example_service() {
	dir, environment, end := folderAndService()
	defer end()
	s, err := newService(filepath.Join(dir, "summary.yaml"), filepath.Join(dir, "runs"), dir, environment)
	if err != nil {
		log.Fatal(err)
	}
	server := httptest.NewServer(s)
	defer server.Close()
	defer s.close()

	begun, err := http.Post(server.URL+"/runs", "application/json", strings.NewReader(`{"page": "notes.md"}`))
	if err != nil {
		log.Fatal(err)
	}
	begun.Body.Close()
	events, err := http.Get(server.URL + begun.Header.Get("Location"))
	if err != nil {
		log.Fatal(err)
	}
	defer events.Body.Close()
	text, err := io.ReadAll(events.Body)
	if err != nil {
		log.Fatal(err)
	}
	_, last, _ := strings.Cut(string(text), "event: result\ndata: ")
	var result struct{ Status string }
	if err := json.Unmarshal([]byte(last), &result); err != nil {
		log.Fatal(err)
	}
	fmt.Println(begun.Status, result.Status)
	// Output: 201 Created succeeded
}

// A service runs a workflow for those who ask over HTTP. POST /runs with the inputs
// as a JSON object begins a run; GET on its Location follows it in server-sent
// events, the last of which is its result. DELETE cancels a run that goes on, and removes its
// folder. A run that the end of the service has ended is resumed by the next service.
type service struct {
	http.ServeMux
	workflow  *host.Loaded // read and checked once, opened for each run
	models    *host.Models // of all runs, which share the limits of services
	folder    string       // where the runs have theirs
	workspace string       // where they work
	runs      sync.Map     // *servedRun by id, until somebody deletes it
	going     conc.WaitGroup
}

func newService(file, folder, workspace string, env host.Environment) (*service, error) {
	workflow, found := host.Load(file, host.LoadOptions{Environment: env})
	if workflow == nil {
		return nil, found
	}
	s := &service{workflow: workflow, models: host.NewModels(env), folder: folder, workspace: workspace}
	s.HandleFunc("POST /runs", s.begin)
	s.HandleFunc("GET /runs/{id}", s.follow)
	s.HandleFunc("DELETE /runs/{id}", s.remove)
	return s, s.resume()
}

// resume goes on with the runs that no service has finished: close cancels them, and the end of
// the process without it cuts them off. A run that has failed, or reached a limit, would do so
// again, and one that waits goes on with the answers of a person: these are resumed if somebody
// asks for it. Those that were deleted have no folder.
func (s *service) resume() error {
	all, err := view.Choice{}.List(s.folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, run := range all {
		if run.State != view.CutOff && run.State != view.State(steps.Cancelled) {
			continue
		}
		if err := s.start(context.Background(), host.Options{ID: run.ID, Resume: &runner.Resumption{}}); err != nil {
			log.Printf("run %s is not resumed: %v", run.ID, err)
		}
	}
	return nil
}

// close cancels what runs, and waits for its end. What a run had by then is kept, and the next
// service resumes it. Call it once the server is shut down, so that nothing begins any more.
func (s *service) close() {
	s.runs.Range(func(_, run any) bool { run.(*servedRun).cancel(); return true })
	s.going.Wait()
}

func (s *service) begin(w http.ResponseWriter, r *http.Request) {
	var inputs map[string]any
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&inputs); err != nil {
		http.Error(w, "the inputs as a JSON object: "+err.Error(), http.StatusBadRequest)
		return
	}
	id := host.NewRunID(time.Now())
	err := s.start(r.Context(), host.Options{ID: id, Inputs: inputs, Workspace: s.workspace})
	switch {
	case err != nil && steps.KindOf(err) == steps.KindInvalidInput:
		http.Error(w, err.Error(), http.StatusBadRequest)
	case err != nil: // a key that is not set, a folder that is not there
		http.Error(w, err.Error(), http.StatusInternalServerError)
	default:
		w.Header().Set("Location", "/runs/"+id)
		w.WriteHeader(http.StatusCreated)
	}
}

// start runs what the options say, beside all else. The run outlives the request that begins it.
func (s *service) start(ctx context.Context, o host.Options) error {
	run := &servedRun{view: new(view.Run), changed: make(chan struct{}), ended: make(chan struct{})}
	o.Loaded, o.Models, o.Dir = s.workflow, s.models, filepath.Join(s.folder, o.ID)
	o.Observe = func(e runner.Event) { run.change(func() { run.view.Take(e) }) }
	h, err := host.Open(ctx, o)
	if err != nil {
		return err
	}
	ctx, run.cancel = context.WithCancel(context.WithoutCancel(ctx))
	s.runs.Store(o.ID, run)
	s.going.Go(func() { run.carryOut(ctx, h) })
	return nil
}

func (s *service) follow(w http.ResponseWriter, r *http.Request) {
	found, ok := s.runs.Load(r.PathValue("id"))
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for {
		event, data, changed := found.(*servedRun).state()
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event, data)
		_ = http.NewResponseController(w).Flush() // whoever hung up is noticed below
		if event != "progress" {
			return
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

func (s *service) remove(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	found, ok := s.runs.LoadAndDelete(id)
	if !ok {
		http.NotFound(w, r)
		return
	}
	run := found.(*servedRun)
	run.cancel()
	s.going.Go(func() {
		<-run.ended
		if err := journal.Remove(s.folder, id); err != nil {
			log.Printf("run %s is not removed: %v", id, err)
		}
	})
	w.WriteHeader(http.StatusNoContent)
}

// A servedRun is a run, and what it has come to so far.
type servedRun struct {
	cancel  context.CancelFunc
	mu      sync.Mutex
	view    *view.Run
	result  []byte        // nil while it runs
	changed chan struct{} // closed at the next change
	ended   chan struct{} // closed when nothing of it works any more
}

func (r *servedRun) change(by func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	by()
	close(r.changed)
	r.changed = make(chan struct{})
}

func (r *servedRun) carryOut(ctx context.Context, h *host.Host) {
	defer close(r.ended)
	var text, line bytes.Buffer // of an event, which is one line
	result, err := h.Run(ctx)
	if err == nil {
		err = errors.Join(result.WriteJSON(&text, h.Mask()), json.Compact(&line, text.Bytes()))
	}
	if err = errors.Join(err, h.Close()); err != nil {
		line.Reset()
		_ = json.NewEncoder(&line).Encode(map[string]string{"error": err.Error()})
	}
	r.change(func() { r.result = bytes.TrimSpace(line.Bytes()) })
}

// state is what there is to say now, and what is closed when there is more.
func (r *servedRun) state() (event string, data []byte, changed <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.result != nil {
		return "result", r.result, nil
	}
	running := map[string]string{}
	for _, unit := range r.view.Running() {
		running[unit.Name()] = unit.Doing(time.Now())
	}
	data, _ = json.Marshal(map[string]any{"counts": r.view.Counts, "running": running})
	return "progress", data, r.changed
}
