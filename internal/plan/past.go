package plan

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

// Likely is what work has cost in earlier runs: each time, and each element by itself.
type Likely struct {
	Samples   int     `json:"samples"`
	MedianUSD float64 `json:"median_usd"`
	MinUSD    float64 `json:"min_usd"`
	MaxUSD    float64 `json:"max_usd"`
}

// How much of earlier runs is read.
const (
	maxRuns  = 10       // of the workflow, the newest
	maxOther = 200      // of all workflows
	maxBytes = 64 << 20 // of their journals
)

// learn adds what earlier runs of the workflow below a folder have cost. Runs that can't be read say
// nothing.
func (p *Plan) learn(below string) {
	dirs, _ := journal.Runs(below)
	seen, left := samples{}, int64(maxBytes)
	for read, i := 0, 0; i < min(len(dirs), maxOther) && read < maxRuns; i++ {
		info, err := os.Stat(filepath.Join(dirs[i], journal.File))
		if err != nil || info.Size() > left {
			continue
		}
		if run := p.earlier(dirs[i]); run != nil {
			read, left = read+1, left-info.Size()
			seen.take(run)
		}
	}
	p.Likely = seen.of("")
	seen.add(p.Steps)
}

// earlier returns an earlier run of the workflow that has succeeded; nil if it is none.
func (p *Plan) earlier(dir string) *history.Run {
	from, err := journal.OpenReader(dir)
	if err != nil {
		return nil
	}
	defer from.Close()
	first, err := from.First()
	if err != nil {
		return nil
	}
	start, err := from.Start(first)
	last, broken := from.Last()
	if err != nil || broken != nil || start.Workflow.Name != p.Workflow.Name || !sameFile(start.Workflow.File, p.file) || last.Kind != journal.End || last.Status != steps.Succeeded {
		return nil
	}
	run := &history.Run{Whole: true}
	for r, err := range from.Records() {
		if err != nil {
			return nil
		}
		run.Take(&r)
	}
	return run
}

// sameFile reports whether two paths, of which relative ones start here, lead to one file.
func sameFile(a, b string) bool {
	a, errA := filepath.Abs(filepath.FromSlash(a))
	b, errB := filepath.Abs(filepath.FromSlash(b))
	return a == b && errA == nil && errB == nil
}

// samples are what units have cost, by their paths; that of the run is "".
type samples map[string][]float64

func (s samples) take(run *history.Run) {
	s.sample("", &run.Top)
	for u := range run.Top.All(true) {
		if !u.HasElements() { // they are sampled themselves
			s.sample(u.Unit.Path(), u)
		}
	}
}

// sample takes what a unit has cost, if that is known and it has asked a service.
func (s samples) sample(path string, u *history.Unit) {
	if c := u.Counts(); c.Tokens > 0 && !c.Unpriced {
		s[path] = append(s[path], c.CostUSD)
	}
}

func (s samples) of(path string) *Likely {
	all := slices.Sorted(slices.Values(s[path]))
	if len(all) == 0 {
		return nil
	}
	return &Likely{len(all), (all[(len(all)-1)/2] + all[len(all)/2]) / 2, all[0], all[len(all)-1]}
}

func (s samples) add(steps []*Step) {
	for _, step := range steps {
		step.Likely = s.of(step.Step)
		s.add(step.Steps)
	}
}
