package suite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/conc/stream"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// maxTime is how long one case may run.
const maxTime = 10 * time.Minute

// A job is one case to run.
type job struct {
	file *File
	c    *Case
	dir  string
}

// Run runs the cases, several at once, and returns their outcomes in the order of the files. Cases that
// have not begun when ctx ends, or after a failure with FailFast, are skipped. An error means that
// nothing could run.
func (s *Suite) Run(ctx context.Context) ([]*Outcome, error) {
	jobs, err := s.jobs()
	if err != nil {
		return nil, err
	}
	if err := s.tryLive(ctx, jobs); err != nil {
		return nil, err
	}
	outcomes := make([]*Outcome, len(jobs))
	var failed atomic.Bool
	cases := stream.New().WithMaxGoroutines(s.parallel())
	for i, j := range jobs {
		cases.Go(func() stream.Callback {
			o := &Outcome{File: j.file.File, Name: j.c.Name, Pos: j.c.Pos, Skipped: true}
			if ctx.Err() == nil && !(s.options.FailFast && failed.Load()) {
				o = s.runCase(ctx, j)
			}
			if !o.Passed() && !o.Skipped {
				failed.Store(true)
			}
			outcomes[i] = o
			return func() { s.report(o) }
		})
	}
	cases.Wait()
	return outcomes, nil
}

// parallel is how many cases run at once.
func (s *Suite) parallel() int {
	if s.options.Parallel > 0 {
		return s.options.Parallel
	}
	return max(4, 2*runtime.GOMAXPROCS(0))
}

// jobs returns the cases to run, each with a folder of its own.
func (s *Suite) jobs() ([]job, error) {
	var jobs []job
	for _, file := range s.Files {
		for _, c := range file.Cases {
			if s.options.Only != nil && !s.options.Only.MatchString(file.File+": "+c.Name) {
				continue
			}
			for range max(1, s.options.Times) {
				jobs = append(jobs, job{file: file, c: c})
			}
		}
	}
	var err error
	if s.dir, err = os.MkdirTemp("", "flow-test-"); err != nil {
		return nil, err
	}
	if s.dir, err = filepath.EvalSymlinks(s.dir); err != nil {
		return nil, err
	}
	for i := range jobs {
		jobs[i].dir = filepath.Join(s.dir, fmt.Sprintf("%d-%s", i+1, folderName(jobs[i].c.Name)))
	}
	return jobs, nil
}

var notInFolder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Za-z0-9]`) })

// folderName is the name of a case as the name of a folder.
func folderName(name string) string {
	const maxName = 40
	clean := notInFolder().ReplaceAllString(name, "-")
	return strings.Trim(clean[:min(len(clean), maxName)], "-")
}

// report removes the folder of a case that nobody needs any more, and reports its outcome.
func (s *Suite) report(o *Outcome) {
	if o.Bare {
		_ = os.RemoveAll(filepath.Join(o.Dir, "workspace"))
	}
	if o.Dir != "" && o.Passed() && !s.options.Keep && os.RemoveAll(o.Dir) == nil {
		o.Dir = ""
	}
	s.kept = s.kept || o.Dir != ""
	if s.options.Observe != nil {
		s.options.Observe(o)
	}
}

// runCase runs one case, and compares it with its expectations.
func (s *Suite) runCase(ctx context.Context, j job) *Outcome {
	began := time.Now()
	o := &Outcome{File: j.file.File, Name: j.c.Name, Pos: j.c.Pos, Dir: j.dir}
	seen := s.play(ctx, j)
	o.Result, o.mask = seen.result, seen.mask
	o.Bare = j.c.Setup.Text != "" && seen.loaded != nil && seen.loaded.Fetched()
	if seen.reached != nil {
		o.fail(Failure{Pos: j.c.Pos, What: "the run contacted another machine, which a test may not", Notes: seen.reached})
	}
	var unready *setupError
	switch {
	case ctx.Err() != nil:
		o.fail(Failure{Pos: j.c.Pos, What: "interrupted"})
	case errors.As(seen.err, &unready):
		o.fail(Failure{Pos: j.c.Setup.Node.Position(), What: "the setup failed", Notes: strings.Split(unready.Error(), "\n")})
	default:
		(&comparison{Outcome: o, seen: seen, update: s.options.Update}).all(&j.c.Expect)
	}
	if s.options.Cover != nil && seen.result != nil {
		if err := s.options.Cover.mark(seen.loaded, seen); err != nil {
			o.fail(Failure{Pos: j.c.Pos, What: fmt.Sprintf("the coverage can't be read: %v", err)})
		}
	}
	slices.SortStableFunc(o.Failures, func(a, b Failure) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
	o.Took = time.Since(began)
	return o
}

// play runs the workflow of a case.
func (s *Suite) play(ctx context.Context, j job) *observed {
	ctx, stop := context.WithTimeout(ctx, maxTime)
	defer stop()
	seen := &observed{workspace: filepath.Join(j.dir, "workspace"), run: filepath.Join(j.dir, "run")}
	h, err := s.open(ctx, j, seen)
	if seen.err = err; err == nil {
		seen.result, seen.err = h.Run(ctx)
		h.Close()
	}
	if s.options.Exit != nil {
		seen.exit = s.options.Exit(seen.result, seen.err)
	}
	return seen
}

// tryLive checks whether the real model can be asked, so that its problems are reported once, not with
// every case.
func (s *Suite) tryLive(ctx context.Context, jobs []job) error {
	if s.options.Live == "" || len(jobs) == 0 {
		return nil
	}
	first := jobs[0]
	first.dir = filepath.Join(s.dir, "first")
	defer os.RemoveAll(first.dir)
	h, err := s.open(ctx, first, &observed{workspace: filepath.Join(first.dir, "workspace"), run: filepath.Join(first.dir, "run")})
	if err == nil {
		return h.Close()
	}
	if kind := steps.KindOf(err); kind == steps.KindConfiguration || kind == steps.KindAuth {
		return err
	}
	return nil // it may be the case
}

// open opens a host for the case. The caller closes it.
func (s *Suite) open(ctx context.Context, j job, seen *observed) (*host.Host, error) {
	if err := makeWorkspace(seen.workspace, j.c.Folder.Text, j.c.Contents); err != nil {
		return nil, err
	}
	w, found := s.loaded.load(j.file.Workflow, s.options.Environment, j.c.Env)
	if w == nil {
		return nil, found
	}
	seen.mask, seen.loaded = w.Mask(), w
	if j.c.Setup.Text != "" {
		if err := w.Prepare(ctx, j.c.Setup.Text, seen.workspace, slices.Sorted(maps.Keys(j.c.Env))); err != nil {
			return nil, &setupError{err}
		}
	}
	who := answers{j.c}
	o := host.Options{
		Loaded: w, Inputs: j.c.Inputs, Workspace: seen.workspace, Dir: seen.run,
		Observe: seen.add,
		Ask:     who.ask, Question: who.question, Models: host.NewModels(s.loaded.environment(s.options.Environment, j.c.Env)),
	}
	if s.options.Live != "" {
		o.Model = s.options.Live
	} else if err := named(&o, j); err != nil {
		return nil, err
	} else {
		o.Refuse = seen.reach
	}
	return host.Open(ctx, o)
}

// A setupError is why the setup of a case failed. It is no outcome that a case could expect.
type setupError struct{ error }

// named sets the model of a case that has one.
func named(o *host.Options, j job) error {
	switch {
	case j.c.Model != nil:
		name, err := filepath.Abs(fmt.Sprintf("%s#%d", j.file.File, j.c.Pos.Line))
		if err != nil {
			return err
		}
		o.Model = o.Models.Play(name, j.c.Model)
	case j.c.Script.Text != "":
		name, err := filepath.Abs(j.c.Script.Text)
		if err != nil {
			return err
		}
		o.Model = "script/" + name
	}
	return nil
}

// An observed case is what was seen of it.
type observed struct {
	workspace, run string
	result         *runner.Result // nil: nothing ran
	err            error          // why
	exit           int
	mask           *tools.Mask  // nil: there are no secrets
	loaded         *host.Loaded // nil: the workflow could not be loaded

	mu      sync.Mutex // of what follows, while the run goes on
	calls   []call
	reached []string
}

// reach records something outside this machine that the run tried to reach.
func (s *observed) reach(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.reached) < 10 {
		s.reached = append(s.reached, what)
	}
}

// add records the calls.
func (s *observed) add(e runner.Event) {
	if e.Type != steps.CallFinished {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, call{
		step: e.Step, unit: e.Unit.String(), tool: e.Tool, status: string(e.Event.Status), rule: e.Rule, why: e.Event.Error, arguments: plain(e.Input),
	})
}

// why lists the reasons why nothing ran.
func (s *observed) why() []string {
	var found workflows.Diagnostics
	var told *steps.Error
	switch {
	case errors.As(s.err, &found):
		var lines []string
		for _, d := range found {
			if d.Severity == workflows.SeverityError {
				lines = append(lines, d.String())
			}
		}
		return lines
	case errors.As(s.err, &told) && told.Hint != "":
		return []string{s.err.Error(), "hint: " + told.Hint}
	}
	return strings.Split(s.err.Error(), "\n")
}
