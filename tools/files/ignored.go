package files

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
)

// Ignored returns a function that reports whether git ignores a path, from the
// root, or one of the folders that it is in; and so for what tools of languages
// leave behind. It remembers what it has read, so that it is for a moment and one
// goroutine.
func (w *Workspace) Ignored(ctx context.Context) func(rel string, folder bool) bool {
	known := map[string]ignoredFolder{}
	var in func(rel string) ignoredFolder
	in = func(rel string) ignoredFolder {
		if f, ok := known[rel]; ok {
			return f
		}
		var f ignoredFolder
		if rel == "." {
			f.ignorer = w.ignorer(ctx, w.path)
		} else {
			f = in(filepath.Dir(rel)).enter(ctx, w, rel)
		}
		known[rel] = f
		return f
	}
	return func(rel string, folder bool) bool {
		if slices.ContainsFunc(strings.Split(rel, "/"), isByProduct) {
			return true
		}
		f := in(filepath.Dir(rel))
		return f.whole || f.ignored(ctx, filepath.Base(rel), folder)
	}
}

// An ignoredFolder knows what is ignored in one folder: all of it, or some.
type ignoredFolder struct {
	ignorer
	whole bool
}

func (f ignoredFolder) enter(ctx context.Context, w *Workspace, rel string) ignoredFolder {
	name := filepath.Base(rel)
	if f.whole || f.ignored(ctx, name, true) {
		return ignoredFolder{whole: true}
	}
	folder, err := w.folder(filepath.Join(w.path, rel), false)
	if err != nil { // it is not there
		f.ignorer.path = f.child(name)
		return f
	}
	defer folder.Close()
	return ignoredFolder{ignorer: f.ignorer.enter(name, folder)}
}

// isByProduct reports whether a name is one that programs give to what they keep
// for themselves, in any project.
func isByProduct(name string) bool {
	switch name {
	case "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".tox", ".nyc_output", ".DS_Store":
		return true
	}
	return strings.HasSuffix(name, ".pyc")
}
