package main

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/folder"
	"github.com/a-seed-11b9befa/flow/internal/recipe"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/runner/suite"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A testedRecipe is one whose tests the command line names by a reference.
type testedRecipe struct {
	reference *recipe.Reference
	locked    recipe.Locked
	dir       string
}

// fetchTests fetches the recipes among the names, each of which gives way to its folder.
func (p *program) fetchTests(ctx context.Context, names []string) (fetched []testedRecipe, folders []string, err error) {
	for _, name := range names {
		if _, isRef, _ := recipe.Parse(name); !isRef {
			folders = append(folders, name)
			continue
		}
		file, ref, locked, err := p.open(ctx, name)
		if err != nil {
			return nil, nil, err
		}
		fetched = append(fetched, testedRecipe{ref, locked, filepath.Dir(file)})
		folders = append(folders, filepath.Dir(file))
	}
	return fetched, folders, nil
}

// acceptTests has the workflows of fetched tests confirmed before any runs, and refuses
// tests that reach out of their recipe.
func (p *program) acceptTests(ctx context.Context, s *suite.Suite, fetched []testedRecipe, granted *runFlags) error {
	accepted := map[string]bool{}
	for _, t := range s.Files {
		i := slices.IndexFunc(fetched, func(r testedRecipe) bool { return folder.Holds(r.dir, t.File) })
		if i < 0 {
			continue
		}
		if path := fetched[i].leaves(t); path != "" {
			return usage("", "%s: the test reaches %s, out of its recipe", filepath.Base(t.File), path)
		}
		if accepted[t.Workflow] {
			continue
		}
		accepted[t.Workflow] = true
		w, err := p.complainOf(host.Load(t.Workflow, p.loadOptions(ctx, t.Workflow)))
		if err == nil {
			err = p.accept(ctx, w, fetched[i].reference, fetched[i].locked, granted)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// leaves is a path of a test that is not in its recipe; "" where all are.
func (r testedRecipe) leaves(t *workflows.TestFile) string {
	reached := []string{t.Workflow}
	for _, c := range t.Cases {
		reached = append(reached, c.Script, c.Folder)
	}
	for _, path := range reached {
		if path != "" && !folder.Holds(r.dir, filepath.Clean(path)) {
			return path
		}
	}
	return ""
}
