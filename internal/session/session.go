// Package session runs a workflow on a terminal or in a CI system: it shows and writes events
// while the workflow runs, asks the person at the terminal, and reports the result.
//
//	s, err := session.Open(ctx, session.Options{Host: host.Options{Loaded: w}, Output: out, Screen: screen, Say: say})
//	if err != nil {
//		return err
//	}
//	defer s.Close()
//	ended, err := s.Run(ctx)
//
// Package runner/host runs the workflow, and internal/report words it. The caller gives each
// file its name in errors, such as --events.
package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/ci"
	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/internal/trace"
	"github.com/a-seed-11b9befa/flow/providers/script"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// Options configure a session.
type Options struct {
	// Host has a Loaded workflow and a Mask. The session itself sets who is asked, who
	// observes the run and what is recorded. With Later, calls wait if nobody is at the
	// terminal.
	Host host.Options

	Output
	Paint  term.Painter       // of the screen
	Detail view.Detail        // of what is shown there
	Silent bool               // nothing of the run is shown there
	Log    func(runner.Event) // is given each event, too; nil: nobody is

	// Say is called with messages about the run, a sentence at a time, from several goroutines.
	Say func(message string)

	OnAsk   string   // Deny, Allow, Fail or Wait: the answer to calls that have to be asked for; "": the person at the terminal is asked
	Inputs  string   // the file that the inputs were read from, if any
	Record  File     // of what the models answer, as a script
	Events  File     // of all events, as JSON lines; the path "-" is the output
	Reports []Report // for CI systems
}

// A Session is one run of a workflow, with everything around it that ends with it.
type Session struct {
	Options
	host    *host.Host
	show    *report.Progress
	stream  *runner.Stream // of events, or nil
	reports []Report
	ci      ci.Publisher
	spans   *trace.Sender
	abort   context.CancelCauseFunc
	closers []func() error
}

// Open prepares the run: see [host.Open]. The caller closes the session.
func Open(ctx context.Context, o Options) (s *Session, err error) {
	if err := o.CheckTargets(); err != nil {
		return nil, err
	}
	s = &Session{Options: o, ci: ci.NewPublisher(o.Env, o.Screen.Past())}
	h := &s.Host
	h.Observe, h.Deltas, h.Warn = s.observe, o.Events.Path != "" || s.live(), func(message string) { o.Say("warning: " + message) }
	if o.Events.Path != "-" {
		h.Events = o.Events.Path
	}
	h.TraceParent = o.Env("TRACEPARENT")
	s.spans, err = trace.NewSender(o.Env)
	h.Traced = s.spans != nil
	s.warn(err)
	s.findAskers()
	if o.Record.Path != "" {
		recorder := script.NewRecorder()
		recorder.Hide = h.Mask.String // each text by itself
		h.Record = recorder.Record
		s.addReports(Report{File: o.Record, Write: func(_ *ci.Report, w io.Writer) error {
			_, err := recorder.WriteTo(w)
			return err
		}})
	}
	s.addReports(o.Reports...)
	if s.host, err = host.Open(ctx, *h); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.closers = append(s.closers, s.host.Close)
	return s, nil
}

// warn says what went wrong beside the run, if something did.
func (s *Session) warn(err error) {
	if err != nil {
		s.Say("warning: " + view.Brief(err.Error()))
	}
}

// Warnings are those of [host.Host.Warnings].
func (s *Session) Warnings() workflows.Diagnostics { return s.host.Warnings() }

// Close closes everything, once, and returns the errors of files that could not be written.
func (s *Session) Close() error {
	var errs []error
	for _, closer := range s.closers {
		errs = append(errs, closer())
	}
	s.closers = nil
	return errors.Join(errs...)
}

// An End is the end of a session whose workflow ran.
type End struct {
	Result   *runner.Result
	Cause    error // why the run was ended before its time; nil: it was not
	WriteErr error // what could not be written
}

// Run runs the workflow, and shows its events and how it ended. An error means that nothing ran.
func (s *Session) Run(outer context.Context) (*End, error) {
	var ctx context.Context
	ctx, s.abort = context.WithCancelCause(outer)
	defer s.abort(nil)
	if err := s.begin(outer); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.show = s.progress()
	stopWaiting := s.sayGrace(outer)
	result, err := s.host.Run(ctx)
	stopWaiting()
	counted := s.show.End()
	s.warn(s.spans.End())
	s.ci.End()
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	end := &End{Result: result, WriteErr: errors.Join(s.publish(result), s.Close())}
	if end.WriteErr != nil && result.Error != nil && result.Error.Message == end.WriteErr.Error() {
		end.WriteErr = nil // that is what ended the run
	}
	if quiet := s.Detail == view.Failures && result.Status == steps.Succeeded && len(view.Shortfalls(result)) == 0; !s.Silent && !quiet {
		s.Screen.Write([]byte(report.Ending(result, counted, s.dir(), s.Paint)))
	}
	end.Cause = context.Cause(ctx)
	return end, nil
}

// begin opens the files and the log of the CI system.
func (s *Session) begin(ctx context.Context) error {
	if err := s.openFiles(ctx); err != nil {
		return err
	}
	return s.ci.Begin(s.host.Workflow.Name, s.host.Secrets())
}

// dir is the folder of the run as it is shown.
func (s *Session) dir() string { return paths.FromHere(s.host.Dir()) }

// sayGrace says, once the run is interrupted, how long steps with always() have. The caller calls
// stop when nothing runs any more.
func (s *Session) sayGrace(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() {
		if s.Host.Grace > 0 && slices.ContainsFunc(s.host.Workflow.Used(), (*workflows.Workflow).UsesAlways) {
			s.Say(fmt.Sprintf("%v: steps with always() have %s (--grace)", context.Cause(ctx), view.Took(s.Host.Grace)))
		}
	})
}

// live reports whether the terminal shows what runs.
func (s *Session) live() bool {
	return !s.Silent && s.Screen.Live(s.Env) && s.Detail != view.Failures
}

// progress is live on a terminal, lines elsewhere.
func (s *Session) progress() *report.Progress {
	if s.Silent {
		return report.NewProgress(term.NewScreen(io.Discard), s.Paint, view.Failures, false)
	}
	return report.NewProgress(s.Screen, s.Paint, s.Detail, s.live())
}

// observe passes an event to all observers. If the stream of events breaks, the run ends:
// somebody relies on it.
func (s *Session) observe(e runner.Event) {
	if e.Type == runner.RunStarted {
		s.warn(s.spans.Start(s.host.Dir()))
	}
	shown := e
	shown.Failure = report.Hinted(e.Failure)
	s.show.Event(shown)
	if s.Log != nil {
		s.Log(e)
	}
	if s.stream == nil {
		return
	}
	if err := s.stream.Write(e); err != nil {
		s.abort(&steps.Error{Kind: steps.KindInternal, Message: fmt.Sprintf("%s: %v", s.Events.Name, err), Err: err})
	}
}
