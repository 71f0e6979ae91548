package recipe

import (
	"context"
	"fmt"
)

// Resolve returns the commit or the digest that the version of a reference means now.
func Resolve(ctx context.Context, r Reference) (string, error) {
	if r.Version == "" {
		return "", errUnversioned(r)
	}
	if r.OCI {
		return resolveOCI(ctx, r)
	}
	return resolveGit(ctx, r)
}

// Fetch reads the files of a recipe at a commit or a digest.
func Fetch(ctx context.Context, r Reference, at string) (*Tree, error) {
	fetch := fetchGit
	if r.OCI {
		fetch = fetchOCI
	}
	t, err := fetch(ctx, r, at)
	if err != nil {
		return nil, fmt.Errorf("the recipe %s: %w", r.Text, err)
	}
	if _, ok := t.Data(r.File); !ok {
		return nil, fmt.Errorf("the recipe %s has no %s", r.Text, r.File)
	}
	return t, nil
}

// errUnversioned is the error for a reference without a version.
func errUnversioned(r Reference) error {
	if r.OCI {
		return Errorf("add a tag, such as "+r.Base()+":v1", "the reference %q has no version", r.Text)
	}
	return Errorf("add a tag, a branch or a commit, such as "+r.Base()+"@v1.0.0", "the reference %q has no version", r.Text)
}
