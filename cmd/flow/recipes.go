package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/a-seed-11b9befa/flow/internal/recipe"
	"github.com/a-seed-11b9befa/flow/runner/host"
)

// open is the file that an argument of the command line names, which may be a
// reference: it is resolved and fetched then, and stands for what locked says.
func (p *program) open(ctx context.Context, argument string) (file string, ref *recipe.Reference, locked recipe.Locked, err error) {
	parsed, ok, err := recipe.Parse(argument)
	if err != nil || !ok {
		if inside := filepath.Join(argument, recipe.File); err == nil && isFile(inside) {
			argument = inside
		}
		return argument, nil, locked, err
	}
	cache, err := recipe.CacheOf("")
	if err != nil {
		return "", nil, locked, err
	}
	cache.Vendor = ""
	finder := recipe.Finder{Offline: p.offline}
	if locked, err = finder.Now(ctx, cache, parsed); err != nil {
		return "", nil, locked, err
	}
	dir, _, err := cache.Get(locked.Hash)
	return filepath.Join(dir, parsed.File), &parsed, locked, err
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// loadOptions returns the options of a file, in an environment whose references are fetched
// within ctx.
func (p *program) loadOptions(ctx context.Context, file string) host.LoadOptions {
	return host.LoadOptions{Environment: p.environment(ctx), Elsewhere: recipe.IsFetched(file)}
}
