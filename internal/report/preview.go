package report

import (
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/columns"
	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// maxPreviewed is how many units in the elements of a foreach are listed.
const maxPreviewed = 5

// Preview lists what resuming a run would do: each unit, and each foreach around some, with why it
// would run. Run is the argument of flow resume for the run.
func Preview(p *runner.Preview, run string) string {
	var units table
	for all := p.Units; len(all) > 0; {
		n, foreach := 1, foreachOf(all[0].Unit)
		for n < len(all) && !foreach.IsZero() && foreach == foreachOf(all[n].Unit) {
			n++
		}
		if foreach.IsZero() {
			units.row("  "+previewName(all[0]), whyWords(all[0]))
		} else {
			units.previewElements(foreach, p.Elements[foreach.String()], all[:n])
		}
		all = all[n:]
	}
	var text page
	text.line("%s", previewHead(p))
	text.lines(units.lines(0))
	text.lines(Waits(p.Waiting, run))
	for _, warning := range p.Warnings {
		text.line("warning: %s", view.Brief(warning))
	}
	return text.String()
}

func previewHead(p *runner.Preview) string {
	certain, least := len(p.Units), ""
	for _, u := range p.Units {
		if u.Why == runner.WhyUnknown {
			certain, least = certain-1, "at least "
		}
	}
	kept := ", and keep the results of " + quantity.Count(p.Kept, "step")
	switch {
	case len(p.Units) > 0:
		return "a resume would run " + least + quantity.Count(certain, "step") + kept + ":"
	case len(p.Waiting) > 0:
		return "a resume would run nothing without an answer" + kept
	default:
		return "a resume would run nothing" + kept
	}
}

// previewElements counts the elements of a foreach that have units, and lists the first units.
func (t *table) previewElements(foreach journal.Address, elements int, all []runner.PreviewedUnit) {
	indexes, reasons := map[int]bool{}, view.Reasons{}
	for _, u := range all {
		_, index := elementIn(u.Unit)
		indexes[index] = true
		reasons[steps.Kind(whyShort[u.Why])]++
	}
	head := quantity.Thousands(len(indexes)) + " of " + quantity.Count(elements, "element")
	if len(all) > len(indexes) {
		head += ", with " + quantity.Count(len(all), "step")
	}
	t.row("  "+foreach.String(), head+": "+reasons.String())
	for _, u := range all[:min(len(all), maxPreviewed)] {
		t.row("    "+previewName(u), whyWords(u))
	}
	if more := len(all) - maxPreviewed; more > 0 {
		t.row("    … and " + quantity.Thousands(more) + " more")
	}
}

func foreachOf(u journal.Address) journal.Address {
	foreach, _ := elementIn(u)
	return foreach
}

// elementIn returns the outermost foreach around a unit, and the index of its element; the zero Address
// if there is none.
func elementIn(u journal.Address) (foreach journal.Address, index int) {
	for part := range u.Parts() {
		if foreach = foreach.Child(part.Name).WithRound(part.Round); part.Element >= 0 {
			return foreach, part.Element
		}
	}
	return journal.Address{}, 0
}

func previewName(u runner.PreviewedUnit) string {
	return named(u.Unit.String(), columns.Fit(u.Label, 24))
}

// whyShort says in short why a unit would run.
var whyShort = map[runner.Why]string{
	runner.WhyFrom: "is named by --from", runner.WhyFailed: "failed", runner.WhyStopped: "was stopped by a limit", runner.WhyCutOff: "was cut off",
	runner.WhyAnswered: "is answered", runner.WhyDepends: "after another step", runner.WhyChanged: "has changed", runner.WhyNew: "not begun yet", runner.WhyUnknown: "may run",
}

// whyWords says why a unit would run, and how.
func whyWords(u runner.PreviewedUnit) string {
	words := whyShort[u.Why]
	switch {
	case u.ErrorKind != "" && u.ErrorKind != steps.KindLimit:
		words += " (" + u.ErrorKind.Words() + ")"
	case u.Why == runner.WhyDepends:
		words = fmt.Sprintf("depends on step %q, which runs", u.DependsOn)
	case u.Why == runner.WhyChanged:
		words += ": its " + strings.Join(u.Changed, ", ")
	case u.Unknown == "if":
		words += fmt.Sprintf(", because its condition depends on step %q", u.DependsOn)
	case u.Unknown == "foreach":
		words += fmt.Sprintf(", because its list depends on step %q", u.DependsOn)
	case u.Unknown == "until":
		words += " another round, unless its condition until holds"
	}
	switch {
	case u.Turns > 0:
		words += ", continues after " + quantity.Count(u.Turns, "turn")
	case u.Why == runner.WhyCutOff:
		words += ", starts over"
	case u.Kind == workflows.KindAsk && u.Why != runner.WhyAnswered:
		words += ", asks a person"
	}
	return term.Visible(words)
}
