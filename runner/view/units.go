package view

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"path"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// Units are all units of a run according to its journal, also those of earlier rounds, with the times at
// which they worked. The caller closes them. They are not safe for concurrent use.
type Units struct {
	*Past
	Rows   []*Row
	Looks  int         // how often the journal was read on
	Models []*ModelUse // in the order in which they were asked first
	Spent  []Spending  // at most [maxSpent]
	Pauses []Pause
	Budget tools.Amount // what the run may use; 0: any amount

	limit   float64 // in USD, that a resume has set; 0: none has
	f       *reading
	rows    map[journal.Address]*Row
	models  map[string]*ModelUse
	running map[callKey]int // the places of calls that run, among those of their rows
	calls   int
	answers int
	stride  int // how many answers a point of Spent stands for
}

// A Row is a unit with what the heads of its records say of it. Times are in milliseconds, and leave out
// the time between processes.
type Row struct {
	Unit      journal.Address `json:"unit"` // with its round
	Label     string          `json:"label,omitempty"`
	Kind      string          `json:"kind,omitempty"`
	Status    string          `json:"status"`           // that of its result; running, waiting, cut_off or not_begun
	Reason    string          `json:"reason,omitempty"` // the kind of its error
	Continued bool            `json:"continued,omitempty"`
	Begins    int64           `json:"begins_ms"` // since the run began
	Took      int64           `json:"took_ms"`
	Attempts  int             `json:"attempts,omitempty"` // from 2 on
	Turns     int             `json:"turns,omitempty"`    // these are of the unit and everything inside it
	Calls     int             `json:"tool_calls,omitempty"`
	Denied    int             `json:"denied_calls,omitempty"`
	Tokens    int64           `json:"tokens,omitempty"`
	CostUSD   float64         `json:"cost_usd,omitempty"`
	Model     string          `json:"model,omitempty"`    // the one that answered last
	Elements  *Elements       `json:"elements,omitempty"` // of a foreach
	Made      []CallBar       `json:"calls,omitempty"`    // by itself; of the first [maxBars] of the run

	Changed int `json:"-"` // the look at which it was not yet as it is now, or may not have been

	of       *history.Unit // nil: it has ended, and everything is set
	written  int64         // when its last record was
	order    []int         // among all rows
	attempts []*attempt    // in the order in which they began
}

// A CallBar is a call: when it began, how long it took, its tool and, unless it succeeded, its status.
type CallBar []any

// A ModelUse is what a model has used.
type ModelUse struct {
	Model   string  `json:"model"`
	Turns   int     `json:"turns"`
	Tokens  int64   `json:"tokens"`
	CostUSD float64 `json:"cost_usd"`
	Took    int64   `json:"took_ms"` // until it had answered
}

// A Spending is what a run had used at a time: milliseconds, tokens, USD.
type Spending [3]float64

// A Pause is a time between two processes: when it began, and how long it was, in milliseconds.
type Pause [2]int64

const (
	maxSpent = 400
	maxBars  = 20_000
	maxName  = 100 // characters
)

type callKey struct {
	unit journal.Address
	id   string
}

// ReadUnits reads all units of the run in a folder. It holds in memory what the heads of their records
// say, and where their records are. Errors are those of [ReadPast].
func ReadUnits(dir string) (*Units, error) {
	f, err := openReading(dir)
	if err != nil {
		return nil, err
	}
	u := &Units{Past: f.Past, Models: []*ModelUse{}, Spent: []Spending{}, f: f, rows: map[journal.Address]*Row{}, models: map[string]*ModelUse{}, running: map[callKey]int{}, stride: 1}
	f.also = u.take
	if err = u.ReadOn(); err != nil {
		return nil, errors.Join(err, f.from.Close())
	}
	return u, nil
}

// ReadOn takes in what has come since the journal was read, and where the run stands now.
func (u *Units) ReadOn() error {
	u.Looks++
	if err := u.f.read(); err != nil {
		return err
	}
	u.Past = u.f.Past
	u.finish()
	return nil
}

// Close closes the journal.
func (u *Units) Close() error { return u.f.from.Close() }

// Unit reads a unit, or an attempt of it; the address is that of a row. What is inside it is not read.
func (u *Units) Unit(named journal.Address) (*UnitPast, error) {
	switch row := u.rows[named.WithAttempt(0)]; {
	case row == nil:
		return nil, ErrNoUnit
	case row.attempts == nil: // it did not begin
		return &UnitPast{RunID: u.ID, Unit: named}, nil
	default:
		return u.past(row.attempts, named.Attempt())
	}
}

// take notes a record of a unit.
func (u *Units) take(of *history.Unit, r journal.Record) {
	if r.Kind == journal.Resumed {
		u.resumed(&r)
	}
	if r.Unit.IsZero() {
		return
	}
	now := u.f.run.Worked.Milliseconds()
	row := u.rows[r.Unit.WithAttempt(0)]
	if row == nil {
		row = u.add(r.Unit.WithAttempt(0), now)
	}
	row.note(&r)
	row.Changed = u.Looks
	if of == nil { // a warning
		return
	}
	switch r.Kind {
	case journal.Said:
		u.said(row, r)
	case journal.CallStarted, journal.CallEnded:
		u.call(row, r)
	}
	row.written = now
	if row.of = of; history.IsEnd(&r) { // what has ended well is forgotten by the history
		u.fill(row, false)
		row.of = nil
	}
}

// resumed notes the time between two processes, and a new budget.
func (u *Units) resumed(r *journal.Record) {
	u.Pauses = append(u.Pauses, Pause{u.f.run.Worked.Milliseconds(), u.f.run.Paused().Milliseconds()})
	var again struct{ Options runner.RecordedOptions }
	if u.f.from.Decode(*r, &again) == nil && again.Options.BudgetUSD != nil {
		u.limit = *again.Options.BudgetUSD
	}
}

// said counts an answer for its models; a cost that is not told of each is that of the one that gave it.
func (u *Units) said(row *Row, r journal.Record) {
	var answer struct{ Used []steps.Spent }
	_ = json.Unmarshal(r.Data, &answer) // what is lost is not counted
	var use *ModelUse
	left := r.Amount().CostUSD
	for _, by := range answer.Used {
		row.Model = by.Model
		if use = u.models[by.Model]; use == nil {
			use = &ModelUse{Model: by.Model}
			u.models[by.Model], u.Models = use, append(u.Models, use)
		}
		use.Tokens += by.Usage.Total()
		if by.CostUSD != nil {
			use.CostUSD, left = use.CostUSD+*by.CostUSD, 0
		}
	}
	now := u.f.run.Worked.Milliseconds()
	if use != nil {
		use.Turns, use.CostUSD, use.Took = use.Turns+1, use.CostUSD+left, use.Took+now-row.written
	}
	u.spend(now)
}

// spend notes what the run has used. Where there are many points, every second one says as much.
func (u *Units) spend(now int64) {
	all := u.f.run.Top.Counts()
	point := Spending{float64(now), float64(all.Tokens), all.CostUSD}
	if u.answers++; u.answers%u.stride != 0 && len(u.Spent) > 0 {
		u.Spent[len(u.Spent)-1] = point
		return
	}
	if u.Spent = append(u.Spent, point); len(u.Spent) == maxSpent {
		for i := range maxSpent / 2 {
			u.Spent[i] = u.Spent[2*i+1]
		}
		u.Spent, u.stride = u.Spent[:maxSpent/2], 2*u.stride
	}
}

// call notes when a call began, or ended. The only record of one that was denied is its end.
func (u *Units) call(row *Row, r journal.Record) {
	now, running := u.f.run.Worked.Milliseconds(), callKey{r.Unit, r.Call}
	i, begun := u.running[running]
	if !begun {
		if u.calls++; u.calls > maxBars {
			return
		}
		var is struct{ Tool string }
		_ = json.Unmarshal(r.Data, &is)
		i = len(row.Made)
		row.Made = append(row.Made, CallBar{now, int64(0), term.Shorten(is.Tool, maxName), "running"})
		u.running[running] = i
	}
	if r.Kind == journal.CallEnded {
		delete(u.running, running)
		if row.Made[i][1], row.Made[i][3] = now-row.Made[i][0].(int64), string(r.Status); r.Status == steps.Succeeded {
			row.Made[i] = row.Made[i][:3]
		}
	}
}

// finish sets what is known of the rows once all records are, and sorts them as the file has the steps.
func (u *Units) finish() {
	u.addLeftOut()
	u.Budget.CostUSD = u.limit
	if b := u.Start.Budget; b != nil {
		u.Budget = tools.Amount{Tokens: b.Tokens, CostUSD: cmp.Or(u.limit, b.CostUSD)}
	}
	waits := map[*history.Unit]bool{}
	for _, w := range u.f.run.Waits {
		for at := u.f.run.Top.At(w.Unit); at != nil; at = at.Around {
			waits[at] = true
		}
	}
	rank := map[string]int{}
	for i, step := range u.Start.Steps {
		rank[step.Path] = i
	}
	for _, row := range u.Rows {
		if now := u.f.run.Top.At(row.Unit); now != nil && now.Unit == row.Unit && now.Ended == 0 { // what has ended is set
			row.of = now
		}
		status, kind := row.Status, row.Kind
		if row.of != nil {
			u.fill(row, waits[row.of])
		}
		row.Kind = u.f.steps[row.Unit.Path()].Kind
		if row.Status != status || row.Kind != kind || row.of != nil && row.of.IsOpen() {
			row.Changed = u.Looks
		}
		at := ""
		row.order = row.order[:0]
		for part := range row.Unit.Parts() {
			at = path.Join(at, part.Name)
			row.order = append(row.order, part.Round, rank[at], part.Element)
		}
	}
	slices.SortStableFunc(u.Rows, func(a, b *Row) int { return slices.Compare(a.order, b.order) })
}

// addLeftOut adds rows of elements that never began although the foreach has ended.
func (u *Units) addLeftOut() {
	for _, row := range slices.Clone(u.Rows) {
		if row.Elements == nil {
			continue
		}
		of := u.f.run.Top.At(row.Unit)
		if of == nil || of.Unit != row.Unit || !of.HasElements() || of.Ended == 0 {
			continue
		}
		for i := range of.Count {
			_, leftOut := slices.BinarySearch(of.LeftOut, i)
			if address := row.Unit.WithElement(i); !leftOut && u.rows[address] == nil {
				u.add(address, row.Begins+row.Took)
			}
		}
	}
}

// add adds the row of a unit that has not begun by then.
func (u *Units) add(address journal.Address, by int64) *Row {
	row := &Row{Unit: address, Status: string(NotBegun), Begins: by, Changed: u.Looks}
	u.rows[address] = row
	u.Rows = append(u.Rows, row)
	return row
}

// fill sets what the history says of a row.
func (u *Units) fill(row *Row, waits bool) {
	of, run := row.of, &u.f.run
	if of.Label != "" { // one that runs again has none until it begins
		row.Label = term.Shorten(of.Label, maxName)
	}
	c := of.Counts()
	row.Turns, row.Calls, row.Denied, row.Tokens, row.CostUSD = c.Turns, c.Calls, c.Denied, c.Tokens, math.Round(c.CostUSD*1e9)/1e9
	row.Status, row.Reason, row.Continued = string(NotBegun), "", false
	until := of.EndedAt
	switch {
	case of.Ended != 0:
		row.Status, row.Reason, row.Continued = string(of.Status), string(of.ErrorKind), of.IsContinued()
	case waits:
		row.Status = string(Waiting)
	case of.Anew || of.Began.IsZero():
	case u.State == Running && of.Process == run.Process:
		row.Status = string(Running)
	default:
		row.Status = string(CutOff)
	}
	if of.Ended == 0 {
		until = run.Last
	}
	if row.Begins = row.written; !of.Began.IsZero() {
		row.Begins, row.Took = of.Before.Milliseconds(), run.Between(of.Began, until).Milliseconds()
	}
	if of.Attempt > 1 {
		row.Attempts = of.Attempt
	}
	if of.HasElements() {
		row.Elements = u.f.elements(of)
	}
}
