package main

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/folder"
	"github.com/a-seed-11b9befa/flow/internal/recipe"
	"github.com/a-seed-11b9befa/flow/internal/session"
	"github.com/a-seed-11b9befa/flow/runner/suite"
)

// fetchTests fetches the recipes among the names, each of which gives way to its folder.
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

// acceptTests has the workflows of recipes confirmed before any runs.
func (p *program) acceptTests(ctx context.Context, s *suite.Suite, fetched []recipe.Source, granted *runFlags) error {
	given := *granted
	given.onAsk = session.Allow // a test answers what its recipe asks
	accepted := map[string]bool{}
	for _, t := range s.Files {
		if accepted[t.Workflow] || !recipe.IsFetched(t.Workflow) {
			continue
		}
		accepted[t.Workflow] = true
		var tested recipe.Source
		if i := slices.IndexFunc(fetched, func(r recipe.Source) bool { return folder.Holds(filepath.Dir(r.File), t.File) }); i >= 0 {
			tested = fetched[i]
		}
		tested.File = t.Workflow
		if _, err := p.loadOwn(ctx, tested, &given); err != nil {
			return err
		}
	}
	return nil
}
