package main

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/folder"
	"github.com/a-seed-11b9befa/flow/internal/recipe"
	"github.com/a-seed-11b9befa/flow/runner/suite"
)

// fetchTests fetches the recipes among the names, each of which gives way to its folder.
func (p *program) fetchTests(ctx context.Context, names []string) (fetched []source, folders []string, err error) {
	for _, name := range names {
		if _, isRef, _ := recipe.Parse(name); !isRef {
			folders = append(folders, name)
			continue
		}
		from, err := p.open(ctx, name)
		if err != nil {
			return nil, nil, err
		}
		fetched = append(fetched, from)
		folders = append(folders, filepath.Dir(from.file))
	}
	return fetched, folders, nil
}

// acceptTests has the workflows of recipes confirmed before any runs.
func (p *program) acceptTests(ctx context.Context, s *suite.Suite, fetched []source, granted *runFlags) error {
	given := *granted
	given.onAsk.value = askAllow // a test answers what its recipe asks
	accepted := map[string]bool{}
	for _, t := range s.Files {
		if accepted[t.Workflow] || !recipe.IsFetched(t.Workflow) {
			continue
		}
		accepted[t.Workflow] = true
		var tested source
		if i := slices.IndexFunc(fetched, func(r source) bool { return folder.Holds(filepath.Dir(r.file), t.File) }); i >= 0 {
			tested = fetched[i]
		}
		tested.file = t.Workflow
		if _, err := p.loadOwn(ctx, tested, &given); err != nil {
			return err
		}
	}
	return nil
}
