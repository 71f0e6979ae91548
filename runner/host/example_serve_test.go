package host_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"github.com/sourcegraph/conc"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A service runs a workflow for those who ask over HTTP. POST /runs with the inputs
// as a JSON object begins a run; GET on its Location follows it in server-sent
// events, the last of which is its result; whoever hangs up before that cancels it. DELETE
// cancels a run that goes on, and forgets its result.
type service struct {
	http.ServeMux
	workflow *host.Loaded // read and checked once, opened for each run
	models   *host.Models // of all runs, which share the limits of services
	folder   string       // where the runs have theirs
	runs     sync.Map     // *servedRun by id, until somebody deletes it
	going    conc.WaitGroup
}

func newService(file, folder string, env host.Environment) (*service, error) {
	workflow, found := host.Load(file, host.LoadOptions{Environment: env})
	if workflow == nil {
		return nil, found
	}
	s := &service{workflow: workflow, models: host.NewModels(env), folder: folder}
	s.HandleFunc("POST /runs", s.begin)
	s.HandleFunc("GET /runs/{id}", s.follow)
	s.HandleFunc("DELETE /runs/{id}", s.remove)
	return s, nil
}

// close cancels what runs, and waits for its end. Nothing begins any more.
func (s *service) close() {
	s.runs.Range(func(id, _ any) bool { s.forget(id); return true })
	s.going.Wait()
}

func (s *service) begin(w http.ResponseWriter, r *http.Request) {
	var inputs map[string]any
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&inputs); err != nil {
		http.Error(w, "the inputs as a JSON object: "+err.Error(), http.StatusBadRequest)
		return
	}
	id, run := host.NewRunID(time.Now()), &servedRun{view: new(view.Run), changed: make(chan struct{})}
	h, err := host.Open(r.Context(), host.Options{
		Loaded: s.workflow, Models: s.models, Inputs: inputs,
		ID: id, Dir: filepath.Join(s.folder, id),
		Observe: func(e runner.Event) { run.change(func() { run.view.Take(e) }) },
	})
	switch {
	case err != nil && steps.KindOf(err) == steps.KindInvalidInput:
		http.Error(w, err.Error(), http.StatusBadRequest)
	case err != nil: // a key that is not set, a folder that is not there
		http.Error(w, err.Error(), http.StatusInternalServerError)
	default:
		var ctx context.Context // the run outlives the request that begins it
		ctx, run.cancel = context.WithCancel(context.WithoutCancel(r.Context()))
		s.runs.Store(id, run)
		s.going.Go(func() { run.carryOut(ctx, h) })
		w.Header().Set("Location", "/runs/"+id)
		w.WriteHeader(http.StatusCreated)
	}
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
			s.forget(r.PathValue("id"))
			return
		}
	}
}

func (s *service) remove(w http.ResponseWriter, r *http.Request) {
	if !s.forget(r.PathValue("id")) {
		http.NotFound(w, r)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// forget ends a run if it still goes on. It reports whether there was one.
func (s *service) forget(id any) bool {
	run, ok := s.runs.LoadAndDelete(id)
	if ok {
		run.(*servedRun).cancel()
	}
	return ok
}

// A servedRun is a run, and what it has come to so far.
type servedRun struct {
	cancel  context.CancelFunc
	mu      sync.Mutex
	view    *view.Run
	result  []byte        // nil while it runs
	changed chan struct{} // closed at the next change
}

func (r *servedRun) change(by func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	by()
	close(r.changed)
	r.changed = make(chan struct{})
}

func (r *servedRun) carryOut(ctx context.Context, h *host.Host) {
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
