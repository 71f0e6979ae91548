// Package trace names the spans of a run, so that flow, which passes them on to commands, and the program
// that sends them, which knows the journal alone, name the same ones.
package trace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// A Trace is what one process did in a run. The zero Trace is none.
type Trace struct {
	of     string // whose digests its names are: the run, and the number of the process; "": all spans are the parent
	id     [16]byte
	parent [8]byte // zero: the process is the root
	flags  byte
}

// Sampled is the flag of spans that are sent.
const Sampled = 1

// New returns the trace of a process, counted from 1. It is part of the one that parent names, as
// TRACEPARENT does, if that is valid.
func New(run string, process int, parent string) Trace {
	t := Trace{of: fmt.Sprintf("%s %d", run, process), flags: Sampled}
	if id, span, flags, ok := parse(parent); ok {
		t.id, t.parent, t.flags = id, span, flags
		return t
	}
	sum := sha256.Sum256([]byte("trace " + t.of))
	t.id = [16]byte(sum[:16])
	return t
}

// Around returns the trace of a process that sends no spans, and only passes on in which trace it is.
func Around(parent string) Trace {
	id, span, flags, ok := parse(parent)
	if !ok {
		return Trace{}
	}
	return Trace{id: id, parent: span, flags: flags}
}

// Valid reports whether a text is a value of TRACEPARENT.
func Valid(parent string) bool {
	_, _, _, ok := parse(parent)
	return ok
}

// parse reads version 00 of the W3C's trace context, and what later ones have of that.
func parse(parent string) (id [16]byte, span [8]byte, flags byte, ok bool) {
	parts := strings.Split(parent, "-")
	if len(parts) < 4 || len(parts[0]) != 2 || parts[0] == "ff" || parts[0] == "00" && len(parts) > 4 || strings.ToLower(parent) != parent {
		return id, span, 0, false
	}
	var flag [1]byte
	for i, into := range [][]byte{id[:], span[:], flag[:]} {
		if n, err := hex.Decode(into, []byte(parts[i+1])[:min(len(parts[i+1]), 2*len(into))]); err != nil || n != len(into) || len(parts[i+1]) != 2*n {
			return id, span, 0, false
		}
	}
	return id, span, flag[0], id != [16]byte{} && span != [8]byte{}
}

// ID returns the name of the trace.
func (t Trace) ID() [16]byte { return t.id }

// Flags returns whether its spans are sent, as in TRACEPARENT.
func (t Trace) Flags() byte { return t.flags }

// Parent returns the span around the process; zero if there is none.
func (t Trace) Parent() [8]byte { return t.parent }

// Span returns the name of the span of a unit, or of what [Turn] and [Call] return; "" is the process.
func (t Trace) Span(address string) [8]byte {
	if t.of == "" {
		return t.parent
	}
	sum := sha256.Sum256([]byte("span " + t.of + " " + address))
	return [8]byte(sum[:8])
}

// Turn returns the address of a turn of an attempt.
func Turn(attempt string, turn int) string { return fmt.Sprintf("%s turn %d", attempt, turn) }

// Call returns the address of a call of an attempt.
func Call(attempt, id string) string { return attempt + " call " + id }

// A place is a span in a trace.
type place struct {
	Trace
	address string
}

type placeKey struct{}

// With returns the context of what belongs to the span of an attempt.
func With(ctx context.Context, t Trace, attempt string) context.Context {
	if t == (Trace{}) {
		return ctx
	}
	return context.WithValue(ctx, placeKey{}, place{t, attempt})
}

// InCall returns the context of a call of the attempt whose context it is.
func InCall(ctx context.Context, id string) context.Context {
	if at, ok := ctx.Value(placeKey{}).(place); ok {
		return With(ctx, at.Trace, Call(at.address, id))
	}
	return ctx
}

// Header returns the value of TRACEPARENT for a command of a context; "" if it gets none.
func Header(ctx context.Context) string {
	at, ok := ctx.Value(placeKey{}).(place)
	if !ok {
		return ""
	}
	return fmt.Sprintf("00-%x-%x-%02x", at.id, at.Span(at.address), at.flags)
}
