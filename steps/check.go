package steps

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
)

// maxProblem bounds, in bytes, what the model is told of one failed check.
const maxProblem = 16 << 10

// check ends the step where every check holds, and else sends the model back
// as often as it may be.
func (d *dialogue) check(ctx context.Context, result found, reason Reason) *ending {
	problem, err := d.judged(ctx, result)
	switch {
	case err != nil:
		return d.broken(ctx, err)
	case problem == "":
		return &ending{status: Succeeded, reason: reason, found: result}
	case d.c.Fixes >= d.agent.MaxFixes:
		return &ending{
			status: Failed, reason: ReasonCheckFailed, found: result,
			err: &Error{Kind: KindCheckFailed, Message: problem},
		}
	}
	d.c.Fixes++
	d.c.Force = false // there is work to do before the next result
	d.warn(d.c.Turns, fmt.Sprintf("%s; sent back to the model (%d of %d)", firstLine(problem), d.c.Fixes, d.agent.MaxFixes))
	d.say(providers.UserText("This is not done yet. " + problem + "\nMend it, then give your result again."))
	return d.proceed()
}

// inspect judges every check, and tells what is wrong: nothing where all hold.
func (a *Agent) inspect(ctx context.Context, result found) (problem string, err error) {
	var problems []string
	for _, c := range a.Checks {
		good, what, err := c.Run(ctx, result.value, result.text)
		if err != nil {
			return "", fmt.Errorf("%s: %w", c.named(), err)
		}
		if !good {
			problems = append(problems, strings.TrimSuffix(fmt.Sprintf("%s: %s", c.named(), ends(a.Tools.Hide(what), maxProblem)), ": "))
		}
	}
	return strings.Join(problems, "\n"), nil
}

// named is the check in a message: as it stands in the file, in backquotes where
// quotes would need escapes.
func (c *Check) named() string {
	if strconv.Quote(c.Name) == `"`+c.Name+`"` {
		return `check "` + c.Name + `"`
	}
	return fmt.Sprintf("check %#q", c.Name)
}
