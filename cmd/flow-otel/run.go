package main

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	names "github.com/a-seed-11b9befa/flow/internal/trace"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

// told is what is told of a run so far.
type told struct {
	*exporters
	from *journal.Reader

	start         journal.Start
	process       int         // the number of the last one, which is told of
	first         int64       // its first record
	trace, before names.Trace // of the process, and of the one before
	flags         trace.TraceFlags
	open          map[string]*span // by their addresses; the process is ""
	last          time.Time        // of the last record
}

// A span is one that has not ended.
type span struct {
	trace.Span
	began time.Time
	last  time.Time                  // what it did last, from when on its next turn runs
	agent *agent                     // of an attempt that asks a model
	calls map[string]providers.Block // of its last turn, by their ids
}

// enter takes in how a process begins, and with the first one, or with changed files, how the run is
// described from then on.
func (t *told) enter(r *journal.Record) error {
	if r.Kind == journal.Run || r.Changed {
		start, err := t.from.Start(*r)
		if err != nil {
			return err
		}
		start.RunID = cmp.Or(start.RunID, t.start.RunID)
		t.start = start
	}
	t.process, t.first = t.process+1, r.Seq
	t.before, t.trace = t.trace, names.New(t.start.RunID, t.process, r.Trace)
	return nil
}

// take takes in a record of the process.
func (t *told) take(r *journal.Record) error {
	t.last = r.Time
	switch r.Kind {
	case journal.Run, journal.Resumed:
		t.begin(r)
	case journal.Decided:
		t.unit(r.Unit, r.Time)
	case journal.Began:
		return t.began(r)
	case journal.Said:
		return t.said(r)
	case journal.CallStarted:
		return t.called(r)
	case journal.CallEnded:
		return t.answered(r)
	case journal.Asked, journal.Answered:
		s := t.unit(r.Unit, r.Time)
		s.AddEvent("flow."+string(r.Kind), trace.WithTimestamp(r.Time))
		s.last = r.Time
	case journal.Again:
		t.unit(r.Unit, r.Time)
		t.end(r.Unit.String(), r)
	case journal.Ended:
		t.ended(r)
	case journal.End:
		t.finish(r)
	}
	return nil
}

// begin begins the span of the process, which links to the process before.
func (t *told) begin(r *journal.Record) {
	t.open = map[string]*span{}
	ctx := context.Background()
	if parent := t.trace.Parent(); parent != [8]byte{} {
		ctx = trace.ContextWithRemoteSpanContext(ctx, contextOf(t.trace.ID(), parent, trace.TraceFlags(t.trace.Flags())))
	}
	options := []trace.SpanStartOption{trace.WithAttributes(
		attribute.String("flow.run.id", t.start.RunID), attribute.String("flow.workflow.name", t.start.Workflow.Name), attribute.Int("flow.run.process", t.process),
	)}
	if t.process > 1 {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: contextOf(t.before.ID(), t.before.Span(""), names.Sampled)}))
	}
	t.flags = trace.FlagsSampled
	root := t.begins(ctx, "", "run "+t.start.Workflow.Name, r.Time, options...)
	t.flags = root.SpanContext().TraceFlags()
}

func contextOf(id [16]byte, span [8]byte, flags trace.TraceFlags) trace.SpanContext {
	return trace.NewSpanContext(trace.SpanContextConfig{TraceID: id, SpanID: span, TraceFlags: flags})
}

// begins begins the span with an address.
func (t *told) begins(ctx context.Context, address, title string, at time.Time, options ...trace.SpanStartOption) *span {
	ctx = context.WithValue(ctx, nameKey{}, name{t.trace.ID(), t.trace.Span(address)})
	_, begun := t.tracer.Start(ctx, title, append(options, trace.WithTimestamp(at))...)
	s := &span{Span: begun, began: at, last: at}
	t.open[address] = s
	return s
}

// child begins a span inside another one, which may have ended.
func (t *told) child(parent, address, title string, at time.Time, options ...trace.SpanStartOption) *span {
	ctx := trace.ContextWithSpanContext(context.Background(), contextOf(t.trace.ID(), t.trace.Span(parent), t.flags))
	return t.begins(ctx, address, title, at, options...)
}

// unit returns the span of a step, an element or an attempt, which begins, with all that are around it,
// where it has not.
func (t *told) unit(u journal.Address, at time.Time) *span {
	if u.IsZero() {
		return t.open[""]
	}
	address := u.String()
	if s := t.open[address]; s != nil {
		return s
	}
	around, kind := u.Parent(), "step"
	if _, element := u.Element(); u.Attempt() > 0 {
		around, kind = u.WithAttempt(0), "attempt"
	} else if element {
		around, kind = u.WithElement(-1), "element"
	} else if !around.IsZero() {
		around = around.WithAttempt(max(around.Attempt(), 1))
	}
	t.unit(around, at)
	return t.child(around.String(), address, kind+" "+address, at, trace.WithAttributes(
		attribute.String("flow.unit", address), attribute.String("flow.step.path", u.Path()),
	))
}

// ended ends a step or an element, and its last attempt.
func (t *told) ended(r *journal.Record) {
	s, address := t.unit(r.Unit, r.Time), r.Unit.String()
	for attempt := range t.open {
		if u, err := journal.ParseAddress(attempt); err == nil && u.Attempt() > 0 && u.WithAttempt(0) == r.Unit {
			t.end(attempt, r)
		}
	}
	t.exporters.steps.Record(context.Background(), r.Time.Sub(s.began).Seconds(), attributes(
		attribute.String("flow.workflow.name", t.start.Workflow.Name), attribute.String("flow.step.path", r.Unit.Path()), attribute.String("flow.status", string(r.Status)),
	))
	t.end(address, r)
}

// end ends a span as a record says.
func (t *told) end(address string, r *journal.Record) {
	s := t.open[address]
	delete(t.open, address)
	s.SetAttributes(attribute.String("flow.status", string(r.Status)))
	if r.Status == steps.Failed || r.Status == steps.Stopped {
		s.fail(cmp.Or(string(r.ErrorKind), string(r.Status)))
	}
	s.tellUsage(r.Used)
	s.End(trace.WithTimestamp(r.Time))
}

// fail says why a span failed. What it says has no words of a model or a file.
func (s *span) fail(reason string) {
	s.SetAttributes(attribute.String("error.type", reason))
	s.SetStatus(codes.Error, steps.Kind(reason).Words())
}

// finish ends the span of the process, and what is open in it.
func (t *told) finish(r *journal.Record) {
	for address := range t.open {
		if address != "" {
			t.end(address, &journal.Record{Time: r.Time, Status: "open"})
		}
	}
	t.runs.Record(context.Background(), r.Time.Sub(t.open[""].began).Seconds(), attributes(
		attribute.String("flow.workflow.name", t.start.Workflow.Name), attribute.String("flow.status", string(r.Status)),
	))
	t.end("", r)
}

// cutOff ends what is open if flow was killed.
func (t *told) cutOff() {
	if t.open[""] != nil {
		t.finish(&journal.Record{Time: t.last, Status: steps.Failed, ErrorKind: "cut_off"})
	}
}

// began begins an attempt, whose work says what it is.
func (t *told) began(r *journal.Record) error {
	s := t.unit(r.Unit, r.Time)
	if s.last = r.Time; len(r.Data) == 0 {
		return nil
	}
	var work struct{ Agent *agent }
	if err := t.from.Decode(*r, &work); err != nil || work.Agent == nil {
		return err
	}
	s.agent = work.Agent
	s.SetName("invoke_agent " + r.Unit.Path())
	s.SetAttributes(t.agentAttributes(r.Unit.Path(), s.agent)...)
	return nil
}

// said tells of a turn.
func (t *told) said(r *journal.Record) error {
	s, attempt := t.unit(r.Unit, r.Time), r.Unit.String()
	var answer steps.Answer
	if err := t.from.Decode(*r, &answer); err != nil {
		return err
	}
	turn := t.child(attempt, names.Turn(attempt, answer.Turn), "chat "+answer.Message.Model, s.last, trace.WithSpanKind(trace.SpanKindClient))
	turn.SetAttributes(t.turnAttributes(attempt, s.agent, &answer)...)
	if r.Used != nil {
		turn.tellUsage(r.Used)
	}
	if answer.Error != nil {
		turn.fail(string(answer.Error.Kind))
	}
	s.calls = map[string]providers.Block{}
	for _, block := range answer.Message.Blocks {
		s.calls[block.ID] = block
	}
	turn.End(trace.WithTimestamp(r.Time))
	delete(t.open, names.Turn(attempt, answer.Turn))
	t.measure(&answer, r, r.Time.Sub(s.last))
	s.last = r.Time
	return nil
}

// called begins a call.
func (t *told) called(r *journal.Record) error {
	t.unit(r.Unit, r.Time)
	var call steps.CallStarted
	if err := t.from.Decode(*r, &call); err != nil {
		return err
	}
	t.call(r.Unit.String(), call.ID, call.Turn, call.Tool, call.Arguments, r.Time)
	return nil
}

func (t *told) call(attempt, id string, turn int, tool string, arguments []byte, at time.Time) *span {
	parent := names.Turn(attempt, turn)
	if turn == 0 { // of a step that is a single call
		parent = attempt
	}
	return t.child(parent, names.Call(attempt, id), "execute_tool "+tool, at, trace.WithAttributes(t.callAttributes(id, tool, arguments)...))
}

// answered ends a call, which did not begin if it was refused.
func (t *told) answered(r *journal.Record) error {
	s, attempt := t.unit(r.Unit, r.Time), r.Unit.String()
	var answer steps.CallEnded
	if err := t.from.Decode(*r, &answer); err != nil {
		return err
	}
	address := names.Call(attempt, answer.ID)
	call := t.open[address]
	if call == nil {
		call = t.call(attempt, answer.ID, answer.Turn, s.calls[answer.ID].Name, s.calls[answer.ID].Arguments, r.Time)
	}
	call.SetAttributes(attribute.String("flow.status", string(answer.Status)))
	if answer.Status != "succeeded" {
		call.fail(fmt.Sprint(answer.Status))
	}
	if t.contents {
		call.SetAttributes(attribute.String("gen_ai.tool.call.result", answer.Content))
	}
	call.End(trace.WithTimestamp(r.Time))
	delete(t.open, address)
	s.last = r.Time
	return nil
}
