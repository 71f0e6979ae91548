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
	Of      int     `json:"total"`
	Ended   int     `json:"ended"`
	Failed  int     `json:"failed"` // of those that have ended: without success
	Running int     `json:"running"`
	Reasons Reasons `json:"-"`

	earlier int // how many ended in earlier processes
	began   time.Time
	cost    float64 // of those that have ended in this process
}

// end counts an element that has ended.
func (n *Elements) end(e runner.Event) {
	n.Ended++
	if e.Came != nil {
		n.cost += e.Came.CostUSD
	}
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

// Progress returns how far the foreach is: "12 of 40", "1 failed", "8 running", "24/min", "about 3 min
// left". What is not known is "".
func (n *Elements) Progress(now time.Time) []string {
	parts := []string{4: ""}
	parts[0] = fmt.Sprintf("%s of %s", quantity.Thousands(n.Ended), quantity.Thousands(n.Of))
	if n.Failed > 0 {
		parts[1] = quantity.Thousands(n.Failed) + " failed"
	}
	if n.Running > 0 {
		parts[2] = quantity.Thousands(n.Running) + " running"
	}
	if each := n.each(now); each > 0 {
		parts[3] = perMinute(each)
	}
	if left := n.Left(now); left > 0 {
		parts[4] = "about " + roughly(left) + " left"
	}
	return parts
}

// Left estimates how long the rest may take; 0 if too little is known.
func (n *Elements) Left(now time.Time) time.Duration {
	return n.each(now) * time.Duration(n.Of-n.Ended)
}

// each returns the time in which one element ends; 0 if too little is known.
func (n *Elements) each(now time.Time) time.Duration {
	const least = 5 * time.Second
	since := now.Sub(n.began)
	if n.began.IsZero() || !n.tells() || since < least {
		return 0
	}
	return since / time.Duration(n.Ended-n.earlier)
}

// tells reports whether enough elements have ended to estimate what the others take: the first ones end
// at the same time.
func (n *Elements) tells() bool {
	const enough = 2
	return n.Ended-n.earlier >= max(enough, n.Running)
}

// projected estimates what the rest may cost, of which some is spent.
func (n *Elements) projected(spent float64) float64 {
	if !n.tells() {
		return 0
	}
	return max(n.cost/float64(n.Ended-n.earlier)*float64(n.Of-n.earlier)-spent, 0)
}

// perMinute returns a rate with the precision of an estimate.
func perMinute(each time.Duration) string {
	rate := float64(time.Minute) / float64(each)
	if rate < 9.5 {
		return fmt.Sprintf("%.1f/min", rate)
	}
	return quantity.Thousands(int(rate+0.5)) + "/min"
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
	of := quantity.Count(n.Of, "element")
	failed := fmt.Sprintf("%s (%s)", n.Reasons.Verb(), n.Reasons)
	switch {
	case n.Ended == n.Of && n.Failed == 0:
		return of
	case n.Ended == n.Of:
		return fmt.Sprintf("%s of %s %s", quantity.Thousands(n.Failed), of, failed)
	}
	text := fmt.Sprintf("%s of %s ran", quantity.Thousands(n.Ended), of)
	if n.Failed > 0 {
		text += fmt.Sprintf(", %s of them %s", quantity.Thousands(n.Failed), failed)
	}
	if counts != nil && counts.Total-counts.NotBegun > n.Ended {
		text += ", " + quantity.Thousands(counts.Total-counts.NotBegun-n.Ended) + " kept"
	}
	return text
}
