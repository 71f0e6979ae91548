package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/hashicorp/go-hclog"

	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/internal/signals"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/providers/script"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A session is one run of a workflow, with everything around it that ends when
// it ends.
type session struct {
	*program
	flags    *runFlags
	workflow *workflows.Workflow
	resumed  *resumed // nil: the run begins
	host     *host.Host
	mask     *tools.Mask
	secrets  []string // that mask hides
	show     report.Progress
	stream   *runner.Stream   // of --events, or nil
	log      hclog.Logger     // nil: none
	recorder *script.Recorder // of --record, or nil
	recordTo *term.LateFile
	reports  []reportFile // for CI systems
	unasked  bool         // a call was denied because nobody could be asked
	abort    context.CancelCauseFunc
	closers  []func() error
}

// toItsEnd runs a workflow from its first check to its exit code. All that is said of it
// is said by then, or nobody reads it.
func (p *program) toItsEnd(ctx context.Context, run func() error) error {
	p.stderr.Follow(ctx)
	defer p.stderr.Settle()
	err := run()
	if _, told := asExit(err); err == nil || told {
		return err
	}
	return exitError(p.conclude(err))
}

// runFile runs the workflow that an argument names.
func (p *program) runFile(ctx context.Context, argument string, f *runFlags) error {
	from, err := p.finder().Named(ctx, argument)
	if err != nil {
		return err
	}
	w, err := p.loadOwn(ctx, from, f)
	if err == nil {
		err = f.checkTargets(w)
	}
	if err != nil {
		return err
	}
	return p.runLoaded(ctx, w, f, nil)
}

// runLoaded runs a workflow; with resumed it goes on with that.
func (p *program) runLoaded(ctx context.Context, w *host.Loaded, f *runFlags, resumed *resumed) error {
	s := &session{program: p, flags: f, workflow: w.Workflow, resumed: resumed, mask: w.Mask(), secrets: w.Secrets()}
	p.stderr.Hide(s.mask.String)
	if err := s.openHost(ctx, w); err != nil {
		return err
	}
	s.closers = append(s.closers, s.host.Close)
	if f.dryRun {
		return errors.Join(s.dryRun(ctx), s.close())
	}
	return s.run(ctx)
}

// openHost finds all that the run needs, and shows what is wrong with it.
func (s *session) openHost(ctx context.Context, w *host.Loaded) error {
	inputs, err := s.given(w)
	if err != nil {
		return err
	}
	prices, err := s.flags.readPrices()
	if err != nil {
		return err
	}
	o := host.Options{
		Loaded: w, Inputs: inputs, Workspace: s.flags.workspace, Model: s.flags.model,
		MaxParallel: s.flags.maxParallel, Grace: s.flags.grace, BudgetUSD: s.flags.budget, Prices: prices,
		Dir: s.flags.runDir, PlanOnly: s.flags.dryRun, Mask: s.mask, Protected: s.flags.written(),
		Observe: s.observe, Deltas: s.flags.events != "", Warn: s.warn,
	}
	s.findAskers(&o)
	if o.Answers, err = s.answers(s.flags); err != nil {
		return err
	}
	if s.resumed != nil {
		o.ID, o.Resume = s.resumed.RunID, &runner.Resumption{From: s.resumed.from, Failed: s.resumed.failed, Changed: s.resumed.changed, Answers: s.resumed.answers}
	}
	if s.flags.record != "" {
		s.recorder = script.NewRecorder()
		o.Record = s.recorder.Record
	}
	s.host, err = host.Open(ctx, o)
	var found workflows.Diagnostics
	if errors.As(err, &found) {
		s.render(found)
		return exitError(codeOfDiagnostics(found))
	}
	if err == nil {
		s.render(s.host.Warnings())
	}
	return err
}

// given are the inputs: those of the command line, or of the run that is gone on with.
func (s *session) given(w *host.Loaded) (map[string]any, error) {
	if s.resumed != nil {
		return s.resumed.Inputs, nil
	}
	return s.inputs(w, s.flags.inputs)
}

// run opens what the run writes to besides its own folder, and runs it.
func (s *session) run(outer context.Context) error {
	var ctx context.Context
	ctx, s.abort = context.WithCancelCause(outer)
	defer s.abort(nil)
	if err := s.open(outer); err != nil {
		return errors.Join(err, s.close())
	}
	if err := s.beginJob(s.secrets); err != nil {
		return errors.Join(err, s.close())
	}
	s.show = s.progress()

	stopWaiting := s.sayGrace(outer)
	result, err := s.host.Run(ctx)
	stopWaiting()
	counted := s.show.End()
	s.endJob()
	var reported error
	if err == nil {
		reported = errors.Join(s.writeReports(result), s.writeRecord())
	}
	closed := errors.Join(reported, s.close())
	if err != nil {
		return errors.Join(err, closed)
	}
	return s.finish(ctx, result, counted, closed)
}

// sayGrace says, once the run is interrupted, how long steps that ask always() have.
// stop ends that, and is called when nothing runs any more.
func (s *session) sayGrace(ctx context.Context) (stop func()) {
	grace := s.flags.grace
	if grace <= 0 || !slices.ContainsFunc(s.host.Workflow.Used(), (*workflows.Workflow).UsesAlways) {
		return func() {}
	}
	said := make(chan struct{})
	unwatch := context.AfterFunc(ctx, func() {
		defer close(said)
		s.say(fmt.Sprintf("%v: steps with always() have %s (--grace)", context.Cause(ctx), view.Took(grace)), "")
	})
	return func() {
		if !unwatch() {
			<-said
		}
	}
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
func (s *session) progress() report.Progress {
	switch {
	case s.flags.logJSON:
		return report.NewSilent()
	case s.stderr.Live(s.env) && !s.flags.quiet:
		return report.NewLive(s.stderr, s.painter(), s.flags.detail())
	}
	return report.NewLines(s.stderr, s.painter(), s.flags.detail())
}

// observe hands an event to everyone who follows the run. Where the stream of
// --events breaks, the run ends: somebody relies on it.
func (s *session) observe(e runner.Event) {
	s.unasked = s.unasked || view.WasUnasked(e.Rule)
	shown := e
	shown.Failure = report.Hinted(e.Failure)
	s.show.Event(shown)
	if s.log != nil {
		report.Log(s.log, e)
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
func (s *session) finish(ctx context.Context, r *runner.Result, counted *view.Narrator, closed error) error {
	s.summarize(r, counted)
	code := codeOfResult(r)
	var interrupted *signals.Interruption
	if r.Status == steps.Cancelled && errors.As(context.Cause(ctx), &interrupted) {
		code = codeOfSignal(interrupted.Signal)
	}
	printed := s.printResult(ctx, r)
	if errors.Is(printed, term.ErrHeldUp) && errors.As(context.Cause(ctx), &interrupted) {
		code = cmp.Or(code, codeOfSignal(interrupted.Signal))
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
	return exitWith(code)
}

// folderName is the run's folder as it is shown: from where flow was started.
func (s *session) folderName() string {
	if start, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(start, s.host.Dir()); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return s.host.Dir()
}
