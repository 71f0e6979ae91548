// Package relock updates or checks the lock of a workflow: the recipes of its references, and what
// each recipe may do.
//
//	u, err := relock.Read("flow.yaml", finder)
//	u.Renew = true                  // branches and tags are resolved anew
//	found, err := u.Load(ctx, env)  // fetches, and works out what each recipe may do
//	text, wider := u.Changes()      // what is new in the lock
//	err = u.Write()
package relock

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/authority"
	"github.com/a-seed-11b9befa/flow/internal/recipe"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// An Update is one change of a lock. It is not safe for concurrent use.
type Update struct {
	// Renew resolves branches and tags anew: those of Only, or all. Commits, digests and
	// releases stay.
	Renew bool
	Only  []string

	file    string
	cache   recipe.Cache
	old     *recipe.Lock
	now     *recipe.Lock
	finder  *recipe.Finder
	may     map[string]authority.Authority // of the recipes that were loaded, by reference
	decides map[string]bool                // the paths of their workflows and schemas
	unused  []string                       // references that were in the lock
}

// Read reads the lock beside a workflow; without one it is empty. The update owns the finder from
// then on.
func Read(file string, finder *recipe.Finder) (*Update, error) {
	old, err := recipe.ReadLock(recipe.LockOf(file))
	if err != nil {
		return nil, err
	}
	cache, err := recipe.CacheOf(file)
	if err != nil {
		return nil, err
	}
	finder.Lock = old
	return &Update{file: file, cache: cache, old: old, now: old.Clone(), finder: finder, may: map[string]authority.Authority{}, decides: map[string]bool{}}, nil
}

// Load loads the workflow, and each recipe alone. The diagnostics are missing grants, which are no
// mistakes here. If the workflow has mistakes, the error is [workflows.Diagnostics]; if a recipe
// has, they are the diagnostics.
func (u *Update) Load(ctx context.Context, env host.Environment) (workflows.Diagnostics, error) {
	for _, ref := range u.Only {
		if _, known := u.old.Find(ref); !known {
			return nil, recipe.Errorf("", "%s has no %s", u.path(), ref)
		}
	}
	u.finder.Renew = func(ref recipe.Reference, locked bool) bool {
		return !locked || u.Renew && !ref.Stays() && (len(u.Only) == 0 || slices.Contains(u.Only, ref.Text))
	}
	ungranted, err := u.load(ctx, env)
	if err == nil {
		u.prune()
		err = u.now.Fits(u.path())
	}
	return ungranted, err
}

func (u *Update) path() string { return recipe.LockOf(u.file) }

func (u *Update) load(ctx context.Context, env host.Environment) (workflows.Diagnostics, error) {
	env.Fetched = recipe.RootOf
	env.Recipe = func(_, from, reference string) (host.Recipe, bool, error) {
		found, ok, err := u.finder.Find(ctx, u.file, from, reference)
		return host.Recipe{File: found.File(), Root: found.Dir}, ok, err
	}
	w, found := host.Load(u.file, host.LoadOptions{Environment: env, NoScripts: true})
	if others := slices.DeleteFunc(slices.Clone(found), isGrant); w == nil && others.HasErrors() {
		return nil, others
	}
	seen := 0
	for all := u.finder.All(); seen < len(all); all = u.finder.All() { // loading one may meet more
		w, mistakes, err := loadAlone(all[seen], env)
		if err != nil {
			return mistakes, err
		}
		may := authority.Of(w.Workflow)
		for _, file := range w.Deciding() {
			u.decides[file] = true
		}
		locked := all[seen].Locked
		locked.Reference, locked.Authority = all[seen].Reference.Text, may.Lines
		u.now.Set(locked)
		u.may[locked.Reference] = may
		seen++
	}
	return slices.DeleteFunc(found, func(d workflows.Diagnostic) bool { return !isGrant(d) }), nil
}

// isGrant reports whether a diagnostic is about a missing grant.
func isGrant(d workflows.Diagnostic) bool { return d.Code == diagnostic.CodeGrant }

// loadAlone loads a recipe without its caller.
func loadAlone(found recipe.Found, env host.Environment) (*host.Loaded, workflows.Diagnostics, error) {
	w, mistakes := host.Load(found.File(), host.LoadOptions{Environment: env, NoScripts: true, Recipe: found.Reference.Text})
	if w == nil {
		return nil, mistakes, recipe.Errorf("", "the recipe %s has mistakes", found.Reference.Text)
	}
	return w, nil, nil
}

// writeLines writes the authority of a recipe and, if commands are shortened, where they can be
// read.
func writeLines(b *strings.Builder, of recipe.Found, lines []string) {
	for _, line := range lines {
		fmt.Fprintf(b, "  %s\n", line)
	}
	if slices.ContainsFunc(lines, authority.IsShortened) {
		fmt.Fprintf(b, "  Commands that are cut off here stand in full in %s\n", of.Dir)
	}
}

// Changes describes the changes of the lock. It reports whether any recipe may do more than before.
func (u *Update) Changes() (text string, wider bool) {
	var b strings.Builder
	replaced := map[string]bool{} // references that another version takes the place of
	for _, found := range u.finder.All() {
		now, _ := u.now.Find(found.Reference.Text)
		before := u.before(found.Reference)
		switch old, known := u.old.Find(now.Reference); {
		case len(before) == 0:
			fmt.Fprintf(&b, "%s is locked at %s. What it may do, and use:\n", now.Reference, now.At())
			writeLines(&b, found, now.Authority)
			writeServers(&b, u.may[now.Reference], nil)
		case !known:
			fmt.Fprintf(&b, "%s is locked at %s.\n", now.Reference, now.At())
			for _, old := range before {
				fmt.Fprintf(&b, "  It replaces %s, which was locked at %s.\n", old.Reference, old.At())
				replaced[old.Reference] = true
			}
			wider = u.writeUpdate(&b, found, before, now) || wider
		case old.At() != now.At() || old.Hash != now.Hash:
			fmt.Fprintf(&b, "%s moves from %s to %s.\n", now.Reference, old.At(), now.At())
			wider = u.writeUpdate(&b, found, before, now) || wider
		case !slices.Equal(old.Authority, now.Authority):
			fmt.Fprintf(&b, "%s is unchanged. What it may do, and use, was not all in %s:\n", now.Reference, u.path())
			writeLines(&b, found, now.Authority)
		}
	}
	for _, reference := range u.unused {
		if !replaced[reference] {
			fmt.Fprintf(&b, "%s is removed from %s, because no workflow uses it any more.\n", reference, u.path())
		}
	}
	if b.Len() == 0 {
		b.WriteString("no changes in " + u.path() + "\n")
	}
	return b.String(), wider
}

// before returns the recipes of the old lock that a reference updates: its own, or else those of
// other versions of its folder that leave the lock, or else those of versions that stay. What was
// granted to them is granted to it, wherever its version was changed.
func (u *Update) before(ref recipe.Reference) []recipe.Locked {
	if old, known := u.old.Find(ref.Text); known {
		return []recipe.Locked{old}
	}
	var leave, stay []recipe.Locked
	for _, old := range u.old.Recipes {
		switch other, _, err := recipe.Parse(old.Reference); {
		case err != nil || !ref.SameFolder(other):
		case slices.Contains(u.unused, old.Reference):
			leave = append(leave, old)
		default:
			stay = append(stay, old)
		}
	}
	if len(leave) > 0 {
		return leave
	}
	return stay
}

// writeUpdate writes how a recipe differs from what it updates, and reports whether it may do more.
func (u *Update) writeUpdate(b *strings.Builder, found recipe.Found, before []recipe.Locked, now recipe.Locked) (wider bool) {
	var old []string // what any of them may do
	for _, locked := range before {
		old = append(old, locked.Authority...)
	}
	if !slices.ContainsFunc(before, func(old recipe.Locked) bool { return old.Hash == now.Hash }) {
		wider = u.writeFiles(b, before, found.Tree, u.counting(found.Dir))
	}
	var lines []string
	for _, d := range authority.Compare(old, now.Authority) {
		lines = append(lines, d.String())
		wider = wider || d.Wider
	}
	if len(lines) == 0 && !wider {
		lines = []string{"What it may do has not changed."}
	}
	writeLines(b, found, lines)
	writeServers(b, u.may[now.Reference], old)
	return wider
}

// runsFiles reports whether any recipe of the workflow may run the files of all.
func (u *Update) runsFiles() bool {
	for _, may := range u.may {
		if may.RunsFiles {
			return true
		}
	}
	return false
}

// writeServers describes the MCP servers that are programs of this machine, without those of old lines.
func writeServers(b *strings.Builder, may authority.Authority, old []string) {
	added := slices.DeleteFunc(slices.Clone(may.Servers), func(name string) bool { return slices.Contains(old, "MCP server: "+name) })
	if may := host.ServersMay(may.Programs(added), workflows.Sandbox{}); may != "" {
		fmt.Fprintf(b, "  MCP server %s\n", may)
	}
}

// Write writes the lock.
func (u *Update) Write() error { return u.now.Write(u.path()) }

// Check returns an error unless the lock has all references of the workflow and no others, each recipe
// is as the lock says and has its grants, and the file is as flow lock writes it. With online it also asks
// the sources of the recipes whether tags have moved and commits have these files. It writes
// nothing. The diagnostics are those of [Update.Load].
func (u *Update) Check(ctx context.Context, env host.Environment, online bool) (workflows.Diagnostics, error) {
	u.finder.Offline = true
	ungranted, err := u.load(ctx, env)
	if err != nil {
		return ungranted, err
	}
	if u.prune(); len(u.unused) > 0 {
		return nil, recipe.Errorf("to remove it: flow lock", "%s has %s, which no workflow uses", u.path(), u.unused[0])
	}
	for _, found := range u.finder.All() {
		name := found.Reference.Text
		old, _ := u.old.Find(name)
		now, _ := u.now.Find(name)
		for _, d := range authority.Compare(old.Authority, now.Authority) {
			wrong := map[string]string{"+": "does not list what %s may do", "-": "lists what %s does not do"}[d.Sign]
			return nil, recipe.Errorf("to write it: flow lock", "%s "+wrong+": %s", u.path(), name, d.What)
		}
		if online {
			if err := checkOnline(ctx, found.Reference, old); err != nil {
				return nil, err
			}
		}
	}
	if i := slices.IndexFunc(ungranted, func(d workflows.Diagnostic) bool { return d.Severity == workflows.SeverityError }); i >= 0 {
		return nil, recipe.Errorf(ungranted[i].Hint, "%s: %s", ungranted[i].File, ungranted[i].Message)
	}
	if !u.now.IsAt(u.path()) {
		return nil, recipe.Errorf("to write it again: flow lock", "%s is not as flow lock writes it", u.path())
	}
	return nil, nil
}

// checkOnline compares a recipe with its source: a vendor folder could have other files under the
// name of a commit.
func checkOnline(ctx context.Context, ref recipe.Reference, locked recipe.Locked) error {
	at, err := recipe.Resolve(ctx, ref)
	if err != nil {
		return err
	}
	if at != locked.At() {
		hint := "to accept the new version: flow lock --update"
		if ref.Stays() {
			hint = "a release must not move, and flow lock --update does not change it: ask its author, or use another version"
		}
		return recipe.Errorf(hint, "%s has moved from %s, which the lock has, to %s", ref.Text, locked.At(), at)
	}
	_, err = recipe.FetchLocked(ctx, ref, locked)
	return err
}
