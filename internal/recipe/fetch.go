package recipe

import (
	"context"
	"fmt"
	"strings"
)

// Resolve returns the commit or the digest that the version of a reference means now. For a
// reference without a version, the error lists the newest ones.
func Resolve(ctx context.Context, r Reference) (string, error) {
	if r.Version == "" {
		return "", unversioned(ctx, r)
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

// unversioned is the error for a reference without a version.
func unversioned(ctx context.Context, r Reference) error {
	const most = 5
	versions, sign := gitVersions, "@"
	if r.OCI {
		versions, sign = ociVersions, ":"
	}
	newest, err := versions(ctx, r)
	switch {
	case err != nil:
		return fmt.Errorf("the reference %q has no version, and the versions can't be listed: %w", r.Text, err)
	case len(newest) == 0:
		return fmt.Errorf("the reference %q has no version, and the repository has no tags: add a branch or a commit, %s%s…", r.Text, r.Text, sign)
	}
	newest = newest[:min(most, len(newest))]
	return fmt.Errorf("the reference %q has no version; the newest versions are %s: %s%s%s", r.Text, strings.Join(newest, ", "), r.Text, sign, newest[0])
}
