package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/authority"
	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/internal/recipe"
	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/internal/session"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/runner/suite"
	"github.com/a-seed-11b9befa/flow/steps"
)

// finder finds recipes as the command line says.
func (p *program) finder() *recipe.Finder { return &recipe.Finder{Offline: p.offline} }

// load loads a workflow, and hides its secrets from then on. It prints mistakes, and ends the
// program if one of them is an error.
func (p *program) load(ctx context.Context, file string, o host.LoadOptions) (*host.Loaded, error) {
	o.Environment = p.environment(ctx)
	w, found := host.Load(file, o)
	if w == nil {
		return nil, found
	}
	p.render(found)
	p.Hide(w.Mask())
	return w, nil
}

// loadOffline loads a workflow without fetching anything. It returns nil for one with mistakes.
func (p *program) loadOffline(file string) *host.Loaded {
	p.offline = true
	w, _ := host.Load(file, host.LoadOptions{Environment: p.environment(context.Background()), NoScripts: true})
	return w
}

// loadOwn is [program.load] for a workflow that the caller names. What a recipe asks for is
// confirmed first.
func (p *program) loadOwn(ctx context.Context, s recipe.Source, f *runFlags) (*host.Loaded, error) {
	w, err := p.load(ctx, s.File, host.LoadOptions{Recipe: s.Reference()})
	if err == nil && w.Fetched() {
		err = p.accept(ctx, w, s, f)
	}
	return w, err
}

// accept has it confirmed, by the command line or by a person, that a recipe is the one that is
// meant, and that it may have what it asks for.
func (p *program) accept(ctx context.Context, w *host.Loaded, s recipe.Source, f *runFlags) error {
	if f.accept || f.Host.PlanOnly {
		return nil
	}
	consent := f.consent
	consent.Unasked = f.OnAsk == session.Allow
	lacks := consent.Lacks(w.Workflow, f.setups...)
	loose := s.Recipe != nil && !s.Recipe.Reference.Pinned()
	if !loose && len(lacks) == 0 {
		return nil
	}
	var b strings.Builder
	if loose {
		fmt.Fprintf(&b, "%s is not a fixed version. Now it stands for %s.\n", s.Recipe.Reference.Text, s.Recipe.Locked.At())
	}
	var asked []string
	grants := ""
	for _, lack := range lacks {
		asked = append(asked, lack.Text)
		grants += " --grant " + report.ShellQuote(lack.Word)
		fmt.Fprintf(&b, "It needs %s\n", lack.Text)
	}
	if slices.ContainsFunc(asked, authority.IsShortened) {
		fmt.Fprintf(&b, "Commands that are cut off here stand in full in %s\n", filepath.Dir(s.File))
	}
	unasked := steps.Invalid("add"+grants+" to grant these, or --accept to grant all that it needs",
		"the recipe needs permissions that are not granted: %s", strings.Join(asked, "; "))
	if loose {
		unasked = steps.Invalid(fmt.Sprintf("name this version: %s@%s; or use --accept", s.Recipe.Reference.Base(), s.Recipe.Locked.At()),
			"%s is not a fixed version, and there is no terminal to confirm it on", s.Recipe.Reference.Text)
	}
	if f.serves {
		return unasked
	}
	return p.confirm(ctx, term.VisibleLines(b.String())+"Run it? [y/N] ", unasked)
}

// confirm asks the person at the terminal, and ends the program if the answer is no. Without a
// person it returns unasked.
func (p *program) confirm(ctx context.Context, question string, unasked error) error {
	tty := session.Terminal(p.Env)
	if tty == nil {
		return unasked
	}
	defer tty.Close()
	yes, err := session.Confirm(ctx, tty, question)
	if err == nil && !yes {
		err = exitError(exitDenied)
	}
	return err
}

// fetchTests fetches the recipes among the names, and replaces each by its folder.
func (p *program) fetchTests(ctx context.Context, names []string) (fetched []recipe.Source, folders []string, err error) {
	for _, name := range names {
		if _, isRef, _ := recipe.Parse(name); !isRef {
			folders = append(folders, name)
			continue
		}
		from, err := p.finder().Named(ctx, name)
		if err != nil {
			return nil, nil, err
		}
		fetched = append(fetched, from)
		folders = append(folders, filepath.Dir(from.File))
	}
	return fetched, folders, nil
}

// acceptTests has the workflows of recipes, and the setups of their tests, confirmed before any runs.
func (p *program) acceptTests(ctx context.Context, s *suite.Suite, fetched []recipe.Source, granted *runFlags) error {
	given := *granted
	given.OnAsk = session.Allow // a test answers what its recipe asks
	accepted := map[string]bool{}
	for _, t := range s.Files {
		if accepted[t.Workflow] || !recipe.IsFetched(t.Workflow) {
			continue
		}
		accepted[t.Workflow] = true
		var tested recipe.Source
		if i := slices.IndexFunc(fetched, func(r recipe.Source) bool { return paths.Holds(filepath.Dir(r.File), t.File) }); i >= 0 {
			tested = fetched[i]
		}
		tested.File = t.Workflow
		given.setups = setupsOf(s, t.Workflow)
		if _, err := p.loadOwn(ctx, tested, &given); err != nil {
			return err
		}
	}
	return nil
}

// setupsOf returns the commands with which tests of a recipe's workflow prepare their workspaces.
func setupsOf(s *suite.Suite, workflow string) (setups []authority.Command) {
	for _, t := range s.Files {
		for _, c := range t.Cases {
			if t.Workflow == workflow && c.Setup.Text != "" && recipe.IsFetched(t.File) {
				setups = append(setups, authority.Script(filepath.Base(t.File)+" "+c.Name, "setup", c.Setup.Text))
			}
		}
	}
	return setups
}
