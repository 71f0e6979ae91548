package main

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/folder"
	"github.com/a-seed-11b9befa/flow/internal/recipe"
	"github.com/a-seed-11b9befa/flow/runner/suite"
	"github.com/a-seed-11b9befa/flow/workflows"
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

// acceptTests has the workflows of fetched tests confirmed before any runs, and refuses
// tests that reach out of their recipe.
func (p *program) acceptTests(ctx context.Context, s *suite.Suite, fetched []source, granted *runFlags) error {
	accepted := map[string]bool{}
	for _, t := range s.Files {
		i := slices.IndexFunc(fetched, func(r source) bool { return folder.Holds(filepath.Dir(r.file), t.File) })
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
		tested := fetched[i]
		tested.file = t.Workflow
		if _, err := p.loadOwn(ctx, tested, granted); err != nil {
			return err
		}
	}
	return nil
}

// leaves is a path of a test that is not in its recipe; "" where all are.
func (s source) leaves(t *workflows.TestFile) string {
	reached := []string{t.Workflow}
	for _, c := range t.Cases {
		reached = append(reached, c.Script, c.Folder)
	}
	for _, path := range reached {
		if path != "" && !folder.Holds(filepath.Dir(s.file), filepath.Clean(path)) {
			return path
		}
	}
	return ""
}
