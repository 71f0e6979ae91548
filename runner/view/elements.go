package view

import (
	"cmp"
	"fmt"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
)

// Elements says how far a foreach is.
type Elements struct {
	Of      int // how many it has
	Running int
	Ended   int
	Failed  int // how many have ended without success
	Reasons Reasons

	earlier int // how many ended in earlier processes
	began   time.Time
	next    time.Time // when a log reports progress again
}

// end counts an element that has ended.
func (n *Elements) end(e runner.Event) {
	n.Ended++
	if e.Status != steps.Succeeded && e.Status != steps.Skipped {
		kind := steps.Kind(e.Status)
		if e.Failure != nil {
			kind = cmp.Or(e.Failure.Kind, kind)
		}
		n.fail(kind)
	}
}

func (n *Elements) fail(kind steps.Kind) {
	n.Failed++
	if n.Reasons == nil {
		n.Reasons = Reasons{}
	}
	n.Reasons[kind]++
}

// Progress returns how far the foreach is: "12 of 40, 1 failed, 8 running, about 3 min left".
func (n *Elements) Progress(now time.Time) string {
	text := fmt.Sprintf("%s of %s", quantity.Thousands(n.Ended), quantity.Thousands(n.Of))
	if n.Failed > 0 {
		text += ", " + quantity.Thousands(n.Failed) + " failed"
	}
	if n.Running > 0 {
		text += ", " + quantity.Thousands(n.Running) + " running"
	}
	if left := n.Left(now); left > 0 {
		text += ", about " + roughly(left) + " left"
	}
	return text
}

// Left estimates how long the rest may take; 0 if too little is known.
func (n *Elements) Left(now time.Time) time.Duration {
	const enough, least = 2, 5 * time.Second
	since, ended := now.Sub(n.began), n.Ended-n.earlier
	if n.began.IsZero() || ended < max(enough, n.Running) || since < least { // the first ones end at the same time
		return 0
	}
	return time.Duration(float64(since) / float64(ended) * float64(n.Of-n.Ended))
}

// roughly returns a duration with the precision of an estimate.
func roughly(d time.Duration) string {
	switch {
	case d < 55*time.Second:
		return fmt.Sprintf("%d s", max(10, (d+9*time.Second)/(10*time.Second)*10))
	case d < 90*time.Minute:
		return fmt.Sprintf("%d min", max(1, int(d.Round(time.Minute).Minutes())))
	}
	return fmt.Sprintf("%d h", int(d.Round(time.Hour).Hours()))
}

// ended says how many have ended, of how many if that is not all of them, and how many were kept
// as they had ended before the files changed.
func (n *Elements) ended(counts *runner.ElementCounts) string {
	text := quantity.Count(n.Ended, "element")
	if n.Ended < n.Of {
		text = fmt.Sprintf("%s of %s ran", quantity.Thousands(n.Ended), quantity.Count(n.Of, "element"))
		if counts != nil && counts.Total-counts.NotBegun > n.Ended {
			text += ", " + quantity.Thousands(counts.Total-counts.NotBegun-n.Ended) + " kept"
		}
	}
	switch {
	case n.Failed > 0 && n.Ended == n.Of:
		text = fmt.Sprintf("%s of %s failed (%s)", quantity.Thousands(n.Failed), text, n.Reasons)
	case n.Failed > 0:
		text += fmt.Sprintf(", %s failed (%s)", quantity.Thousands(n.Failed), n.Reasons)
	}
	return text
}

// due reports whether a log should report progress again: after a while, and then less and
// less often.
func (n *Elements) due(now time.Time) bool {
	const first, share = 10 * time.Second, 10
	if n.next.IsZero() {
		n.next = n.began.Add(first)
	}
	if n.Ended == n.Of || now.Before(n.next) {
		return false
	}
	n.next = now.Add(max(first, now.Sub(n.began)/share))
	return true
}
