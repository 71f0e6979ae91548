package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/a-seed-11b9befa/flow/internal/recipe"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// A source is the workflow that an argument of the command line names.
type source struct {
	file   string
	ref    *recipe.Reference // which it was fetched by; nil: the argument is a file
	locked recipe.Locked     // what that stands for
}

// open finds the workflow that an argument names. A reference is resolved and fetched.
func (p *program) open(ctx context.Context, argument string) (s source, err error) {
	ref, ok, err := recipe.Parse(argument)
	if err != nil || !ok {
		if inside := filepath.Join(argument, recipe.File); err == nil && isFile(inside) {
			argument = inside
		}
		return source{file: argument}, err
	}
	cache, err := recipe.CacheOf("")
	if err != nil {
		return s, err
	}
	cache.Vendor = ""
	finder := recipe.Finder{Offline: p.offline}
	if s.locked, err = finder.Now(ctx, cache, ref); err != nil {
		return s, err
	}
	dir, _, err := cache.Get(s.locked.Hash)
	s.file, s.ref = filepath.Join(dir, ref.File), &ref
	return s, err
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

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
func (p *program) loadOwn(ctx context.Context, s source, f *runFlags) (*host.Loaded, error) {
	o := p.loadOptions(ctx, s.file)
	if s.ref != nil {
		o.Recipe = s.ref.Text
	}
	w, err := p.load(o, s.file)
	if err == nil && recipe.IsFetched(s.file) {
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
