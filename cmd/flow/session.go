package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools/permission"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A session is one run of a workflow, with everything around it that ends when
// it ends.
type session struct {
	*program
	flags    *runFlags
	workflow *workflows.Workflow
	options  runner.Options
	show     progress
	stream   *runner.Stream // of --events, or nil
	log      hclog.Logger   // nil: none
	recorder *recording     // of --record, or nil
	pending  pendingCalls
	abort    context.CancelCauseFunc
	closers  []func() error
}

// runFile runs the workflow of a file, from its first check to its exit code.
// All that is said of it is said by then, or nobody reads it.
func (p *program) runFile(ctx context.Context, file string, f *runFlags) error {
	p.stderr.Follow(ctx)
	defer p.stderr.Settle()
	err := p.runWorkflow(ctx, file, f)
	if _, told := asExit(err); err == nil || told {
		return err
	}
	return exitError(p.conclude(err))
}

func (p *program) runWorkflow(ctx context.Context, file string, f *runFlags) error {
	var files sources
	w, err := p.loadOrComplain(file, &files)
	if err != nil {
		return err
	}
	files.addGiven(f, w)
	if err := files.checkTargets(f); err != nil {
		return err
	}
	mask := p.mask(w)
	p.stderr.Hide(mask.String)
	inputs, err := p.inputs(w, f.inputsFile, f.inputs)
	if err != nil {
		return err
	}
	start, err := startFolder()
	if err != nil {
		return err
	}
	found := p.preflight(w, given{values: inputs, model: f.model, budget: f.budget.usd, workspace: f.workspace, prices: f.prices})
	p.render(found)
	if found.HasErrors() {
		return exitError(codeOfDiagnostics(found))
	}
	price, err := p.pricing(f.prices, w)
	if err != nil {
		return err
	}
	s := &session{program: p, flags: f, workflow: w}
	models := p.registry(w, f.model)
	models.unasked = f.dryRun
	s.options = runner.Options{
		Workflow: w, Inputs: inputs, ID: newRunID(time.Now()), Workspace: f.workspace,
		Model: f.model, MaxParallel: int(f.maxParallel), BudgetUSD: f.budget.usd,
		Names:  runner.OptionNames{Dir: "--run-dir", Model: "--model", BudgetUSD: "--budget-usd"},
		Models: models.model, Price: price,
		Environment: p.commandEnvironment, LookupEnv: p.lookup, Mask: mask,
	}
	s.options.Dir = filepath.Join(start, ".flow", "runs", s.options.ID)
	if f.runDir != "" {
		s.options.Dir = absolute(start, f.runDir)
	}
	if err := permission.CheckPath(s.options.Dir); err != nil {
		return usage("rename it, or name another folder with --run-dir", "the run's folder %q: %v", s.options.Dir, err)
	}
	if f.dryRun {
		return s.dryRun(ctx)
	}
	return s.run(ctx)
}

// absolute is a path as it stands in folder; the folder itself where it is "".
func absolute(folder, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(folder, path)
}

// run opens what the run writes to besides its own folder, and runs it.
func (s *session) run(outer context.Context) error {
	var ctx context.Context
	ctx, s.abort = context.WithCancelCause(outer)
	defer s.abort(nil)
	boxes := s.toolboxes(protectedFiles(s.workflow))
	s.closers = append(s.closers, boxes.close)
	if err := s.open(outer); err != nil {
		return errors.Join(err, s.close())
	}
	if err := s.equip(ctx, boxes); err != nil {
		return errors.Join(err, s.close())
	}
	s.show = s.progress()
	ask, closeAsk := s.asker()
	defer closeAsk()
	s.options.Ask, s.options.Observe = ask, s.observe
	boxes.ask = ask

	result, err := runner.Run(ctx, s.options)
	counted := s.show.end()
	if s.recorder != nil {
		s.recorder.ran = err == nil
	}
	closed := s.close()
	if err != nil {
		return errors.Join(err, closed)
	}
	return s.finish(ctx, result, counted, closed)
}

// open opens the files that the command line names. A file that can't be
// written is found before anything runs.
func (s *session) open(ctx context.Context) error {
	if s.flags.record != "" {
		recorder, err := newRecording(s.flags.record, s.options.Mask)
		if err != nil {
			return err
		}
		s.recorder = recorder
		s.options.Record = recorder.Record
		s.closers = append(s.closers, recorder.close)
	}
	if s.flags.logLevel.value != "off" {
		s.log = newLogger(s.stderr, s.flags.logLevel.value, s.flags.logJSON)
	}
	if s.flags.events == "" {
		return nil
	}
	events, closeEvents, err := openEvents(ctx, s.flags.events, term.JSONOutput(s.stdout, s.env), s.eventsBroke)
	if err != nil {
		return err
	}
	s.stream = runner.NewStream(events, true, s.options.Mask)
	s.closers = append(s.closers, func() error {
		if err := closeEvents(); err != nil {
			return fmt.Errorf("--events: %w", err)
		}
		return nil
	})
	return nil
}

// close closes everything, and returns what could not be written.
func (s *session) close() error {
	var errs []error
	for _, closer := range s.closers {
		errs = append(errs, closer())
	}
	return errors.Join(errs...)
}

// progress is live on a terminal, lines elsewhere, and nothing where the log is
// there to be read by a program.
func (s *session) progress() progress {
	paint := s.painter()
	switch {
	case s.flags.logJSON:
		return silent{newTallies()}
	case s.stderr.Live(s.env):
		return newLive(s.stderr, paint)
	}
	return &plain{narrator: newNarrator(paint), to: s.stderr}
}

// observe hands an event to everyone who follows the run. Where the stream of
// --events breaks, the run ends: somebody relies on it.
func (s *session) observe(e runner.Event) {
	s.pending.take(e)
	s.show.event(e)
	if s.log != nil {
		logEvent(s.log, e)
	}
	if s.stream == nil {
		return
	}
	if err := s.stream.Write(e); err != nil {
		s.eventsBroke(err)
	}
}

func (s *session) eventsBroke(err error) {
	s.abort(&steps.Error{Kind: steps.KindInternal, Message: fmt.Sprintf("--events: %v", err), Err: err})
}

// finish prints the result and returns what the program ends with.
func (s *session) finish(ctx context.Context, r *runner.Result, counted *tallies, closed error) error {
	s.summarize(r, counted)
	code := exitSuccess
	if r.Status != steps.Succeeded {
		code = exitFailure
		if r.Error != nil {
			code = codeOf(r.Error.Kind)
		}
	}
	var interrupted *interruption
	if r.Status == steps.Cancelled && errors.As(context.Cause(ctx), &interrupted) {
		code = codeOfSignal(interrupted.signal)
	}
	printed := s.printResult(ctx, r)
	if errors.Is(printed, term.ErrHeldUp) && errors.As(context.Cause(ctx), &interrupted) {
		code = cmp.Or(code, codeOfSignal(interrupted.signal))
	}
	if closed != nil && r.Error != nil && r.Error.Message == closed.Error() {
		closed = nil // that is what ended the run
	}
	for _, err := range []error{printed, closed} {
		if err != nil {
			s.complain(err)
			code = cmp.Or(code, exitFailure)
		}
	}
	if code == exitSuccess {
		return nil
	}
	return exitError(code)
}

// folderName is the run's folder as it is shown: from where flow was started.
func (s *session) folderName() string {
	if start, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(start, s.options.Dir); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return s.options.Dir
}
