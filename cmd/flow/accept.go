package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/authority"
	"github.com/a-seed-11b9befa/flow/internal/person"
	"github.com/a-seed-11b9befa/flow/internal/recipe"
	"github.com/a-seed-11b9befa/flow/internal/session"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// accept has it confirmed that a recipe of the command line is the one that is meant,
// and that it may have what it asks for: by the command line, or by a person.
func (p *program) accept(ctx context.Context, w *host.Loaded, s recipe.Source, f *runFlags) error {
	if f.accept || f.dryRun {
		return nil
	}
	granted, tools, err := grantOf(f.grants)
	if err != nil {
		return err
	}
	asked := host.Ungranted(w.Workflow, granted)
	if rules := host.Allows(w.Workflow, f.onAsk == session.Allow); !tools && len(rules) > 0 {
		asked = append(asked, "tools: "+strings.Join(append(rules, host.Calls(w.Workflow)...), ", "))
	}
	loose := s.Recipe != nil && !s.Recipe.Reference.Pinned()
	if !loose && len(asked) == 0 {
		return nil
	}
	var b strings.Builder
	if loose {
		fmt.Fprintf(&b, "%s is %s now.\n", s.Recipe.Reference.Text, s.Recipe.Locked.At())
	}
	for _, line := range asked {
		fmt.Fprintf(&b, "It asks for %s\n", line)
	}
	if slices.ContainsFunc(asked, authority.IsShortened) {
		fmt.Fprintf(&b, "The commands are whole in %s\n", filepath.Dir(s.File))
	}
	var yes, personThere bool
	if !f.serves {
		yes, personThere, err = p.askPerson(ctx, term.VisibleLines(b.String())+"Run it? [y/N] ")
	}
	switch {
	case err != nil || yes:
		return err
	case personThere:
		return exitError(exitDenied)
	case loose:
		return usage(fmt.Sprintf("name what it is now: flow run %s@%s; or give --accept", s.Recipe.Reference.Base(), s.Recipe.Locked.At()),
			"%s can be another recipe tomorrow, and nobody is there to confirm it", s.Recipe.Reference.Text)
	}
	return usage("--grant lets it have a part, such as --grant commands --grant env=NAME; --accept all of it",
		"the recipe asks for what it is not granted: %s", strings.Join(asked, "; "))
}

// grantOf reads the grants of the command line. Tools are what its own rules allow, which
// no caller's rules bound here.
func grantOf(given []string) (g workflows.Grant, tools bool, err error) {
	lists := map[string]*[]string{"env": &g.Env, "secrets": &g.Secrets, "mcp": &g.MCP, "addresses": &g.Addresses}
	for _, text := range given {
		key, name, named := strings.Cut(text, "=")
		list := lists[key]
		switch {
		case text == "commands":
			g.Commands = true
		case text == "tools":
			tools = true
		case list == nil || !named || name == "":
			return g, tools, usage("", "--grant %q: it is commands, tools, env=NAME, secrets=NAME, mcp=NAME or addresses=HOST", text)
		default:
			*list = append(*list, strings.Split(name, ",")...)
		}
	}
	return g, tools, nil
}

// askPerson asks the person at the terminal, if there is one: a CI system is none.
func (p *program) askPerson(ctx context.Context, question string) (yes, asked bool, err error) {
	tty := person.Terminal(p.env)
	if tty == nil {
		return false, false, nil
	}
	defer tty.Close()
	p.stderr.Flush()
	yes, err = person.Confirm(ctx, tty, question)
	return yes, true, err
}
