package main

import (
	"context"

	"github.com/a-seed-11b9befa/flow/internal/recipe"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// finder finds recipes as the command line says.
func (p *program) finder() *recipe.Finder { return &recipe.Finder{Offline: p.offline} }

// load loads a workflow without mistakes; those that it has are shown. What is secret
// in it is hidden from then on.
func (p *program) load(o host.LoadOptions, file string) (*host.Loaded, error) {
	w, found := read(file, o)
	p.render(found)
	if w == nil {
		return nil, exitError(codeOfDiagnostics(found))
	}
	p.stderr.Hide(w.Mask().String)
	return w, nil
}

// loadOwn is [program.load] of what the caller names; of a recipe it is confirmed that it
// may have what it asks for.
func (p *program) loadOwn(ctx context.Context, s recipe.Source, f *runFlags) (*host.Loaded, error) {
	o := p.loadOptions(ctx, s.File)
	if s.Recipe != nil {
		o.Recipe = s.Recipe.Reference.Text
	}
	w, err := p.load(o, s.File)
	if err == nil && recipe.IsFetched(s.File) {
		err = p.accept(ctx, w, s, f)
	}
	return w, err
}

// loadOptions returns the options of a file, in an environment whose references are fetched
// within ctx.
func (p *program) loadOptions(ctx context.Context, file string) host.LoadOptions {
	return host.LoadOptions{Environment: p.environment(ctx), Elsewhere: recipe.IsFetched(file)}
}

// read loads a workflow. One of a recipe is looked at first: its files have to be what they
// were when it was fetched, also where it is named by its path.
func read(file string, o host.LoadOptions) (*host.Loaded, workflows.Diagnostics) {
	if err := recipe.Intact(file); err != nil {
		return nil, workflows.Diagnostics{{File: file, Line: 1, Column: 1, Severity: workflows.SeverityError, Code: diagnostic.CodeFile, Message: err.Error()}}
	}
	return host.Load(file, o)
}
