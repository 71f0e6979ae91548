package main

import (
	"context"

	"github.com/a-seed-11b9befa/flow/internal/recipe"
	"github.com/a-seed-11b9befa/flow/runner/host"
)

// finder finds recipes as the command line says.
func (p *program) finder() *recipe.Finder { return &recipe.Finder{Offline: p.offline} }

// load loads a workflow without mistakes; those that it has are shown. What is secret
// in it is hidden from then on.
func (p *program) load(ctx context.Context, file string, o host.LoadOptions) (*host.Loaded, error) {
	o.Environment = p.environment(ctx)
	w, found := host.Load(file, o)
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
	var o host.LoadOptions
	if s.Recipe != nil {
		o.Recipe = s.Recipe.Reference.Text
	}
	w, err := p.load(ctx, s.File, o)
	if err == nil && w.Fetched() {
		err = p.accept(ctx, w, s, f)
	}
	return w, err
}
