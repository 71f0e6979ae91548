package files

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
)

// Ignored returns a function that reports whether git ignores a path, from the root, or a
// folder around it, or whether it is a by-product of a language's tools. The function
// caches what it reads, so it should not be kept, and is not safe for concurrent use.
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

// ignoredFolder knows what is ignored in one folder; whole says that everything is.
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
	if err != nil { // it does not exist
		f.ignorer.path = f.child(name)
		return f
	}
	defer folder.Close()
	return ignoredFolder{ignorer: f.ignorer.enter(name, folder)}
}

// isByProduct reports whether programs use that name, in any project, for files of their
// own.
func isByProduct(name string) bool {
	switch name {
	case "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".tox", ".nyc_output", ".DS_Store":
		return true
	}
	return strings.HasSuffix(name, ".pyc")
}
