package steps

import (
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools"
)

// maxWhole is how many bytes of an output later steps get.
const maxWhole = 64 << 20

// printed is what a command or a tool has printed: what is shown, and the whole, which is nil if
// only what is shown counts.
type printed struct {
	tools.Text
	whole *whole
}

// whole keeps a whole output, unless it becomes longer than maxWhole.
type whole struct {
	kept strings.Builder
	over bool
}

// Write never fails.
func (w *whole) Write(p []byte) (int, error) {
	switch {
	case w.over:
	case w.kept.Len()+len(p) > maxWhole:
		w.over, w.kept = true, strings.Builder{}
	default:
		w.kept.Write(p)
	}
	return len(p), nil
}

// result returns a result with the text of p, which is the whole output if that is kept.
func (p printed) result() Result {
	r := Result{Text: strings.TrimSuffix(p.Content, "\n")}
	if p.whole != nil && !p.whole.over && p.Truncated {
		r.Cut = &Cut{Shown: r.Text, Path: p.Path}
		r.Text = strings.TrimSuffix(p.whole.kept.String(), "\n")
	}
	r.count(p.Truncated, p.Lost)
	return r
}

// count counts an output that is not shown whole.
func (u *Used) count(truncated, lost bool) {
	if truncated {
		u.Truncated++
	}
	if lost {
		u.Lost++
	}
}

// finish sets the Output of a command or a tool from what it printed. hide is for what an error
// quotes of it.
func (r Result) finish(o Output, p printed, hide func(string) string) Result {
	text := r.Text
	switch w := p.whole; {
	case w != nil && w.over:
		return r.fail(ReasonOutputLimit, &Error{
			Kind:    KindLimit,
			Message: fmt.Sprintf("output: more than the limit of %d MiB", maxWhole>>20),
			Hint:    "write it to a file, or to /dev/null",
		})
	case w != nil && !o.isText():
		text = w.kept.String()
	}
	value, err := o.read(text, hide)
	if err != nil {
		return r.fail(ReasonInvalidOutput, &Error{Kind: KindInvalidOutput, Message: err.Error(), Err: err})
	}
	r.Status, r.StopReason, r.Output = Succeeded, ReasonCompleted, value
	return r
}

func (r Result) fail(reason Reason, err *Error) Result {
	r.Status, r.StopReason, r.Error = Failed, reason, err
	return r
}
