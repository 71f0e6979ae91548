package recipe

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// A Source is a workflow that a command line names.
type Source struct {
	File   string
	Recipe *Found // that a reference stands for; nil: it was named by its path
}

// Reference is the reference that names the workflow; "" if it is named by its path.
func (s Source) Reference() string {
	if s.Recipe == nil || s.File != s.Recipe.File() {
		return ""
	}
	return s.Recipe.Reference.Text
}

// NameOf names a file of the recipe by the reference, with its path behind that; any other file by its path.
func (s Source) NameOf(path string) string {
	if s.Recipe == nil {
		return path
	}
	if within, is := strings.CutPrefix(path, s.Recipe.Dir+string(filepath.Separator)); is {
		return s.Recipe.Reference.Text + "/" + filepath.ToSlash(within)
	}
	return path
}

// Named finds the workflow of an argument: a file, the folder of a recipe, or a reference, which
// is resolved anew, and fetched into the cache.
func (f *Finder) Named(ctx context.Context, argument string) (Source, error) {
	ref, ok, err := Parse(argument)
	if err != nil || !ok {
		inside := filepath.Join(argument, File)
		if info, missing := os.Stat(inside); err == nil && missing == nil && info.Mode().IsRegular() {
			argument = inside
		}
		return Source{File: argument}, err
	}
	dir, err := Folder()
	if err != nil {
		return Source{}, err
	}
	found, err := f.now(ctx, Cache{Dir: dir}, ref)
	return Source{found.File(), &found}, err
}

// FetchAll fetches the recipes in the lock beside a workflow, with vendor also into the vendor
// folder beside it, and calls got with each reference and its folder.
func (f *Finder) FetchAll(ctx context.Context, file string, vendor bool, got func(reference, dir string)) error {
	path := LockOf(file)
	lock, err := ReadLock(path)
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); err != nil {
		return Errorf("to write it: flow lock", "there is no %s", path)
	}
	cache, err := CacheOf(file)
	if err != nil {
		return err
	}
	for _, locked := range lock.Recipes {
		ref, ok, err := Parse(locked.Reference)
		if err != nil || !ok {
			return Errorf("", "%s: %q is not a reference", path, locked.Reference)
		}
		dir, tree, err := f.Open(ctx, cache, ref, locked)
		if err == nil && vendor {
			dir, err = Cache{Dir: cache.Vendor}.Put(tree)
		}
		if err != nil {
			return err
		}
		got(locked.Reference, dir)
	}
	return nil
}
