package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/flags"
	"github.com/a-seed-11b9befa/flow/internal/recipe"
	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A resumed run is a run with the flags of flow resume.
type resumed struct {
	*runner.Beginning
	runner.Resumption
	chosen   bool            // since none was named
	comments []runner.Answer // for answers of the same address
}

func (p *program) resumeCommand() *cobra.Command {
	f := &runFlags{}
	r := &resumed{}
	c := &cobra.Command{
		Use:   "resume [RUN]",
		Short: "Continue a run that did not succeed",
		RunE: func(_ *cobra.Command, args []string) error {
			if err := cmp.Or(f.check(p), r.addComments(), r.find(args)); err != nil {
				return err
			}
			return atWork(func(ctx context.Context) error { return p.resume(ctx, r, f) })
		},
	}
	set := c.Flags()
	f.register(p, c)
	set.Var(flags.Each(func(text string) error {
		u, err := parseUnit(text)
		r.From = append(r.From, u)
		return err
	}), "from", "rerun a `unit`, such as pages[3], and everything that depends on it (repeatable)")
	set.BoolVar(&r.Failed, "failed", false, "rerun the steps and elements that failed, even if the run succeeded")
	set.BoolVar(&r.Changed, "changed", false, "continue with changed files: keep the results of unchanged work, rerun the rest")
	set.BoolVar(&f.Host.PlanOnly, "dry-run", false, "list what would run again, and why; run nothing")
	set.Var(flags.Each(func(text string) error {
		address, value, err := assigned(text, "such as --answer publish=yes")
		r.Answers = append(r.Answers, runner.Answer{Address: address, Value: &value})
		return err
	}), "answer", "answer the question of a step, `UNIT=VALUE`, such as publish=yes (repeatable)")
	set.Var(flags.Each(func(text string) error {
		address, comment, err := assigned(text, "such as --answer publish=no --comment publish='too long'")
		if err == nil && strings.TrimSpace(comment) == "" {
			err = steps.Invalid("leave --comment out to answer without one", "%q: the comment is empty", text)
		}
		r.comments = append(r.comments, runner.Answer{Address: address, Comment: comment})
		return err
	}), "comment", "comment on an answer, `UNIT=TEXT`, if the step asks for a comment (repeatable)")
	set.Var(flags.Each(func(address string) error {
		r.Answers = append(r.Answers, runner.Answer{Address: address, Allowed: true})
		return nil
	}), "approve", "approve a waiting call, `UNIT:call_id`, such as pages[3]:call_2; or all calls of a UNIT, or all (repeatable)")
	set.Var(flags.Each(func(text string) error {
		address, reason, given := strings.Cut(text, "=")
		if given && strings.TrimSpace(reason) == "" {
			return steps.Invalid("such as --deny publish='not on Fridays'", "%q: the reason is empty", text)
		}
		r.Answers = append(r.Answers, runner.Answer{Address: address, Comment: reason})
		return nil
	}), "deny", "deny a waiting call, `UNIT:call_id[=REASON]`, or all calls of a UNIT, or all; the model is told the reason (repeatable)")
	return c
}

// find finds the run.
func (r *resumed) find(args []string) (err error) {
	if r.chosen = len(args) == 0; r.chosen {
		any := len(r.From) > 0 || r.Failed // but not by Changed, which is added to the command that failed
		r.Beginning, err = host.LastUnfinished(host.RunsFolder, any)
		return err
	}
	dir, err := host.FindRun(args[0])
	if err != nil {
		return err
	}
	if r.Beginning, err = runner.ReadBeginning(dir); err != nil {
		return unreadable(dir, err)
	}
	return nil
}

// assigned splits UNIT=TEXT.
func assigned(text, example string) (address, value string, err error) {
	address, value, found := strings.Cut(text, "=")
	if !found {
		err = steps.Invalid(example, "%q: missing =", text)
	}
	return address, value, err
}

// addComments adds each comment to the answer that it belongs to.
func (r *resumed) addComments() error {
	for _, c := range r.comments {
		i := slices.IndexFunc(r.Answers, func(a runner.Answer) bool { return a.Value != nil && a.Address == c.Address && a.Comment == "" })
		if i < 0 {
			return steps.Invalid("a comment comes with an answer: --answer "+c.Address+"=VALUE", "--comment %q: there is no --answer for it", c.Address)
		}
		r.Answers[i].Comment = c.Comment
	}
	return nil
}

// checkFolder refuses to resume a run from a folder from which its workflow is not found: the paths of
// a run start at the folder in which it began.
func (r *resumed) checkFolder() error {
	if _, err := os.Stat(r.Workflow.File); filepath.IsAbs(r.Workflow.File) || r.Options.Recipe != "" || !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return steps.Invalid("run flow resume in the folder in which the run began", "the workflow of the run, %s, is not found from this folder", r.Workflow.File)
}

// resume resumes a run, or prints the result of one that has succeeded.
func (p *program) resume(ctx context.Context, r *resumed, f *runFlags) error {
	if r.isDone() && !r.Changed && !f.Host.PlanOnly {
		p.warnChanged(ctx, r)
		return p.printEnded(r)
	}
	if err := r.checkFolder(); err != nil {
		return err
	}
	if r.chosen && !f.Silent {
		which := "the last run"
		if r.Status != steps.Succeeded {
			which += " that did not succeed"
		}
		p.say("resuming "+report.RunName(r.Dir)+" ("+r.Workflow.File+"), "+which, "")
	}
	f.Host.Dir, f.Host.Model = r.Dir, cmp.Or(f.Host.Model, r.Options.Model)
	p.sandbox = cmp.Or(p.sandbox, r.Options.Sandbox)
	reference := r.Options.Recipe
	if gone := recipe.Intact(r.Workflow.File); recipe.Absent(gone) && reference != "" {
		return steps.Invalid("flow validate "+reference+" fetches it again", "%v", gone)
	}
	w, err := p.load(ctx, r.Workflow.File, host.LoadOptions{Recipe: reference})
	if err != nil {
		return err
	}
	if r.isDone() && len(w.Differences(r.Beginning)) == 0 && !f.Host.PlanOnly {
		return p.printEnded(r)
	}
	f.Host.Loaded, f.Host.Resume, f.Host.Began, f.Host.Later = w, &r.Resumption, r.Beginning, r.Options.Later
	return p.runLoaded(ctx, f)
}

// isDone reports whether the run has nothing left to do with unchanged files. One that was killed
// before it wrote run.json has.
func (r *resumed) isDone() bool {
	_, err := os.Stat(filepath.Join(r.Dir, "run.json"))
	return err == nil && r.Status == steps.Succeeded && len(r.From)+len(r.Answers) == 0 && !r.Failed
}

// warnChanged warns if the files have changed since a run that succeeded.
func (p *program) warnChanged(ctx context.Context, r *resumed) {
	w, _ := host.Load(r.Workflow.File, host.LoadOptions{Environment: p.environment(ctx), Recipe: r.Options.Recipe})
	if w == nil {
		return // the file is gone, or has mistakes now
	}
	p.Hide(w.Mask())
	if differs := w.Differences(r.Beginning); len(differs) > 0 {
		p.say("warning: this is the result from before the files changed: "+strings.Join(differs[:min(len(differs), 8)], ", "), "to run what has changed: flow resume "+report.RunName(r.Dir)+" --changed")
	}
}

// printEnded prints the result of a run that has succeeded.
func (p *program) printEnded(r *resumed) error {
	result, err := runner.ReadResult(r.Dir)
	if err == nil && result.Error != nil { // it succeeded: nothing else can be wrong with it
		err = &result.Error.Error
	}
	if err != nil {
		return unreadable(r.Dir, err)
	}
	if short := view.Shortfalls(result); len(short) > 0 {
		p.say("the run has ended: it "+view.Outcome(result.Status, short)+"\n"+strings.Join(view.Continued(short), "\n"), report.HintNext(report.RunName(r.Dir), result, short))
	}
	return p.Result(result, p.format)
}
