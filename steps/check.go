package steps

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxProblem is how many bytes the problem of one failed check may have.
const maxProblem = 16 << 10

// check ends the step if every check passes. Else it sends the problems to the model, at
// most MaxFixes times.
func (d *dialogue) check(ctx context.Context, result found, reason Reason) *Result {
	problem, err := d.judged(ctx, result)
	switch {
	case err != nil:
		return d.broken(ctx, err)
	case problem == "":
		return &Result{Status: Succeeded, StopReason: reason, Text: result.text, Output: result.value}
	case d.c.Fixes >= d.agent.MaxFixes:
		return &Result{
			Status: Failed, StopReason: ReasonCheckFailed, Text: result.text, Output: result.value,
			Error: &Error{Kind: KindCheckFailed, Message: problem},
		}
	}
	d.c.Fixes++
	d.c.Force, d.c.Done = false, "" // there is work to do before the next result
	warning := fmt.Sprintf("%s; sent back to the model (%d of %d)", firstLine(problem), d.c.Fixes, d.agent.MaxFixes)
	return d.again(warning, "This is not done yet. "+problem+"\nMend it, then give your result again.")
}

// judged returns what the checks find wrong with a result. Without checks there is no fact.
func (d *dialogue) judged(ctx context.Context, result found) (problem string, err error) {
	if len(d.agent.Checks) == 0 {
		return "", nil
	}
	v, err := once(d, func(f *Fact) **Verdict { return &f.Check }, func() (Verdict, error) { return d.agent.inspect(ctx, result) })
	return v.Problem, err
}

// inspect runs every check. If several fail, the first line of the problem names them all.
func (a *Agent) inspect(ctx context.Context, result found) (v Verdict, err error) {
	var names, problems []string
	for i, c := range a.Checks {
		j, err := c.Run(ctx, result.value, result.text)
		name := quotedCheck(a.Tools.Hide(cmp.Or(j.Name, c.Name)))
		if err != nil {
			return Verdict{}, fmt.Errorf("check %s: %w", name, err)
		}
		if !j.Good {
			v.Failed = append(v.Failed, i)
			names = append(names, name)
			problems = append(problems, strings.TrimSuffix(fmt.Sprintf("check %s: %s", name, ends(a.Tools.Hide(j.Problem), maxProblem)), ": "))
		}
	}
	if len(names) > 1 {
		problems = slices.Insert(problems, 0, fmt.Sprintf("%d checks failed: %s", len(names), strings.Join(names, ", ")))
	}
	v.Problem = strings.Join(problems, "\n")
	return v, nil
}

// quotedCheck quotes a check's name, in backquotes if quotes would need escapes.
func quotedCheck(name string) string {
	if strconv.Quote(name) == `"`+name+`"` {
		return `"` + name + `"`
	}
	return fmt.Sprintf("%#q", name)
}
