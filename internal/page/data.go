package page

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// Data is what the page of a run shows, except for the conversations of its units.
type Data struct {
	Head
	Units []*view.Row `json:"units"`
}

// Head is [Data] without the units.
type Head struct {
	Version  int              `json:"version"`
	Run      view.Summary     `json:"run"`
	Name     string           `json:"name"`    // the argument of flow show for the run
	Outcome  string           `json:"outcome"` // the state in words: succeeded in part
	Error    *runner.Failure  `json:"error,omitempty"`
	Next     []report.Command `json:"next,omitempty"`
	Waiting  []Wait           `json:"waiting,omitempty"`
	Unshown  int              `json:"more_waiting,omitempty"` // questions that are not among them
	Short    []string         `json:"short,omitempty"`        // the first steps that did not succeed, in words
	Warnings []string         `json:"warnings,omitempty"`
	Denials  []string         `json:"denials,omitempty"`

	Usage    *providers.Usage `json:"usage,omitempty"` // nil: the run has not ended
	Tokens   int64            `json:"tokens"`
	Turns    int              `json:"turns"`
	Calls    int              `json:"tool_calls"`
	Denied   int              `json:"denied_calls"`
	Unpriced []string         `json:"unpriced_models,omitempty"`
	Budget   tools.Amount     `json:"budget"`
	Models   []*view.ModelUse `json:"models"`
	Spent    []view.Spending  `json:"spent"`
	Pauses   []view.Pause     `json:"pauses,omitempty"`
	Steps    []journal.Step   `json:"steps"`
	Inputs   json.RawMessage  `json:"inputs,omitempty"`
	Outputs  json.RawMessage  `json:"outputs,omitempty"`
	Findings json.RawMessage  `json:"findings,omitempty"`
}

// A Wait is what a run waits for, and the commands that answer it.
type Wait struct {
	runner.Wait
	Address  string           `json:"address"`
	Form     string           `json:"form,omitempty"` // which answers are possible
	Commands []report.Command `json:"commands"`
}

// Read reads the data of the run in a folder. The caller closes the units.
func Read(dir string) (*Data, *view.Units, error) {
	u, err := view.ReadUnits(dir)
	if err != nil {
		return nil, nil, err
	}
	return &Data{headOf(u), u.Rows}, u, nil
}

func headOf(u *view.Units) Head {
	r, dir := &u.Result, u.Folder
	h := Head{
		Version: 1, Run: u.Summary, Name: report.RunName(dir), Outcome: u.Outcome(), Next: report.Next(u.Past, dir), Warnings: u.Warned, Denials: u.Denials,
		Tokens: u.Tokens, Turns: u.Turns, Calls: u.Calls, Denied: u.Denied, Unpriced: u.Unpriced,
		Budget: u.Budget, Models: u.Models, Spent: u.Spent, Pauses: u.Pauses, Steps: u.Start.Steps,
		Inputs: bounded(r.Inputs), Outputs: bounded(r.Outputs), Findings: bounded(r.Findings),
	}
	if f := u.Failed; f != nil {
		told := *f
		told.Error = worded(&f.Error)
		h.Run.Failed = &told
	}
	if e := r.Error; e != nil {
		told := *e
		told.Error = worded(&e.Error)
		h.Error = &told
	}
	const maxShort = 5
	for _, s := range u.Short[:min(len(u.Short), maxShort)] {
		h.Short = append(h.Short, s.String())
	}
	if !r.Finished.IsZero() {
		h.Usage = &r.Usage
	}
	for i := range r.Waiting[:min(len(r.Waiting), maxWaits)] {
		h.Waiting = append(h.Waiting, wait(&r.Waiting[i], h.Name))
	}
	h.Unshown = len(r.Waiting) - len(h.Waiting)
	return h
}

// maxWaits is how many questions are shown.
const maxWaits = 100

func wait(w *runner.Wait, run string) Wait {
	shown := Wait{*w, w.Address(), view.AnswerForm(w), report.Answers(w, run)}
	shown.Question, shown.Arguments, shown.Schema, shown.Default = brief(w.Question), cut(w.Arguments, maxField), cut(w.Schema, maxField), cut(w.Default, maxField)
	return shown
}

// worded is an error whose hint names flags, with short texts.
func worded(e *steps.Error) steps.Error {
	told := *report.Hinted(e)
	told.Message, told.Hint = brief(told.Message), brief(told.Hint)
	return told
}

func brief(text string) string { return shortened(text, maxField) }

// A Unit is what the page shows of a unit: its records, as flow show prints them.
type Unit struct {
	*view.UnitPast
	field int // how long a text may be
}

// MarshalJSON returns the unit with long texts cut.
func (u *Unit) MarshalJSON() ([]byte, error) {
	past := *u.UnitPast
	past.Facts, past.Label = nil, term.Shorten(u.Label, maxLabel)
	for _, fact := range u.Facts {
		fact.Label = term.Shorten(fact.Label, maxLabel)
		fact.Data = cut(fact.Data, u.field)
		past.Facts = append(past.Facts, fact)
	}
	return json.Marshal(struct {
		Unit *view.UnitPast `json:"unit"`
	}{&past})
}

// The bounds of what is shown of the data of one record, in bytes.
const (
	maxField = 64 << 10
	maxData  = 256 << 10
	maxLabel = 200
)

// shortened cuts a text, and says so.
func shortened(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "\n… [" + quantity.Thousands(len(text)-limit) + " more bytes are not on this page]"
}

// cut returns JSON without what is too long to be shown: the rest of texts, and what comes behind the
// first [maxData] bytes.
func cut(data json.RawMessage, field int) json.RawMessage {
	if len(data) <= field {
		return data
	}
	var value any
	if err := jsonline.Decode(data, &value); err != nil {
		value = "damaged: " + err.Error()
	}
	left := min(maxData, 4*field)
	short, err := jsonline.Encode(cutValue(value, field, &left))
	if err != nil {
		return nil
	}
	return short
}

// cutValue leaves of a value what left allows, and at least something of each text and list.
func cutValue(value any, field int, left *int) any {
	const leastText, leastList, maxKeys, maxKey = 200, 20, 1000, 1000
	switch v := value.(type) {
	case string:
		v = shortened(v, min(field, max(*left, leastText)))
		*left -= len(v)
		return v
	case []any:
		for i := range v {
			if *left <= 0 && i >= leastList {
				return append(v[:i], "… ["+quantity.Thousands(len(v)-i)+" more are not on this page]")
			}
			v[i] = cutValue(v[i], field, left)
			*left--
		}
	case map[string]any:
		for i, key := range slices.Sorted(maps.Keys(v)) {
			if i >= maxKeys || len(key) > maxKey {
				delete(v, key)
				continue
			}
			v[key] = cutValue(v[key], field, left)
			*left -= len(key)
		}
	}
	return value
}

// bounded is a value as JSON that is short enough to be shown; nil if there is none.
func bounded(value any) json.RawMessage {
	data, err := jsonline.Encode(value)
	if err != nil || string(data) == "null" || string(data) == "{}" {
		return nil
	}
	return cut(data, maxField)
}
