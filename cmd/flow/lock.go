package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/authority"
	"github.com/a-seed-11b9befa/flow/internal/recipe"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// lockFlags are what flow lock is told on its command line.
type lockFlags struct {
	check, online, update, acceptWider bool
}

func (p *program) lockCommand() *cobra.Command {
	var f lockFlags
	c := &cobra.Command{
		Use:   "lock [FILE] [REF…]",
		Short: "Write down what the references of a workflow stand for",
		Long: `Find what the references of a workflow stand for, and write that to flow.lock
beside it: the commit or the digest, a hash of all files, and what the recipe may
do. What is in the lock already stays. FILE is flow.yaml unless told.

With --check nothing is written, and the exit code is 2 where the lock is not
complete or not true; no network is needed. With --online it is also looked
whether tags have moved.

With --update branches and tags are resolved anew, those of REF or all; a commit,
a digest and a release such as v1.2.0 stay. What changes is printed, with what the
new version may do that the old one could not: then a person is asked, or it takes
--accept-wider; else the exit code is 6, and nothing is written.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			file, refs, err := lockArguments(args, f)
			if err != nil {
				return err
			}
			return underSignals(func(ctx context.Context) error { return p.lock(ctx, file, refs, f) })
		},
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.BoolVar(&f.check, "check", false, "write nothing, and say whether the lock is complete and true")
	flags.BoolVar(&f.online, "online", false, "with --check: look whether tags have moved")
	flags.BoolVar(&f.update, "update", false, "resolve branches and tags anew")
	flags.BoolVar(&f.acceptWider, "accept-wider", false, "with --update: take what may do more, and ask nobody")
	flags.BoolVar(&p.noColor, "no-color", false, "print without colours")
	c.ValidArgsFunction = workflowFiles
	return c
}

// lockArguments tells the file from the references.
func lockArguments(args []string, f lockFlags) (file string, refs []string, err error) {
	for _, arg := range args {
		if _, isRef, _ := recipe.Parse(arg); isRef {
			refs = append(refs, arg)
			continue
		}
		if file != "" {
			return "", nil, usage("", "lock: unexpected argument %q: one file has one lock", arg)
		}
		file = arg
	}
	switch {
	case len(refs) > 0 && !f.update:
		return "", nil, usage("with --update", "lock: unexpected argument %q", refs[0])
	case f.online && !f.check:
		return "", nil, usage("", "--online goes with --check")
	case f.check && f.update:
		return "", nil, usage("", "--check writes nothing, and --update does")
	case f.acceptWider && !f.update:
		return "", nil, usage("", "--accept-wider goes with --update")
	}
	if file == "" {
		file = recipe.File
	}
	return file, refs, nil
}

// A locking is one change of a lock.
type locking struct {
	*program
	file    string
	cache   recipe.Cache
	old     *recipe.Lock
	now     *recipe.Lock
	recipes *recipes
	grants  workflows.Diagnostics // what steps do not grant yet
}

func (p *program) newLocking(ctx context.Context, file string) (*locking, error) {
	old, err := recipe.ReadLock(lockOf(file))
	if err != nil {
		return nil, err
	}
	cache, err := cacheOf(file)
	if err != nil {
		return nil, err
	}
	return &locking{program: p, file: file, cache: cache, old: old, now: old.Clone(), recipes: &recipes{ctx: ctx, offline: p.offline}}, nil
}

// lock brings the lock of a file up to date, or looks whether it is.
func (p *program) lock(ctx context.Context, file string, refs []string, f lockFlags) error {
	l, err := p.newLocking(ctx, file)
	if err != nil {
		return err
	}
	if f.check {
		return l.check(ctx, f.online)
	}
	for _, ref := range refs {
		if _, known := l.old.Find(ref); !known {
			return usage("", "%s has no %s", lockOf(file), ref)
		}
	}
	l.recipes.resolve = func(ref recipe.Reference) (recipe.Locked, error) { return l.resolve(ref, refs, f.update) }
	if err := l.load(); err != nil {
		return err
	}
	wider := l.tell()
	l.render(l.grants)
	if wider && !f.acceptWider {
		if err := l.confirm(ctx); err != nil {
			return err
		}
	}
	return l.now.Write(lockOf(file))
}

// resolve is what a reference stands for: as the lock says, unless it is to be
// updated.
func (l *locking) resolve(ref recipe.Reference, refs []string, update bool) (recipe.Locked, error) {
	locked, known := l.old.Find(ref.Text)
	if known && (!update || ref.Stays() || len(refs) > 0 && !slices.Contains(refs, ref.Text)) {
		return locked, nil
	}
	return l.recipes.resolved(l.cache, ref)
}

// load loads the workflow and each recipe alone, and so finds all that they use. What
// is not granted yet is no mistake here.
func (l *locking) load() error {
	env := l.environment()
	env.Recipe = func(_, from, reference string) (host.Recipe, bool, error) {
		return l.recipes.find(l.file, from, reference)
	}
	w, found := host.Load(l.file, host.LoadOptions{Environment: env, NoScripts: true})
	l.grants = slices.DeleteFunc(slices.Clone(found), func(d workflows.Diagnostic) bool { return d.Code != codeOfGrant })
	if w == nil {
		if others := slices.DeleteFunc(slices.Clone(found), func(d workflows.Diagnostic) bool { return d.Code == codeOfGrant }); others.HasErrors() {
			l.render(others)
			return exitError(codeOfDiagnostics(others))
		}
	}
	for i := 0; i < len(l.recipes.met); i++ { // loading one may meet more
		met := l.recipes.met[i]
		may, err := l.authority(met, env)
		if err != nil {
			return err
		}
		met.locked.Reference, met.locked.Authority = met.ref.Text, may
		l.now.Set(met.locked)
	}
	return nil
}

// codeOfGrant is the code of diagnostics about what is not granted.
const codeOfGrant = "grant"

// authority is what a recipe may do.
func (l *locking) authority(met metRecipe, env host.Environment) (authority.Authority, error) {
	w, found := host.Load(met.file(), host.LoadOptions{Environment: env, NoScripts: true, Elsewhere: true})
	if w == nil {
		l.render(found)
		return authority.Authority{}, usage("", "the recipe %s has mistakes", met.ref.Text)
	}
	a := authority.Of(w.Workflow)
	if len(a.Commands) == 0 {
		return a, nil
	}
	var read []string
	for _, file := range w.Files() {
		if name, err := filepath.Rel(met.dir, file); err == nil {
			read = append(read, filepath.ToSlash(name))
		}
	}
	if slices.ContainsFunc(met.tree.Names(), func(name string) bool { return !slices.Contains(read, name) }) {
		a.Code = met.tree.HashWithout(read)
	}
	return a, nil
}

// tell prints what is new in the lock, and reports whether anything that was there
// may do more than before.
func (l *locking) tell() (wider bool) {
	var b strings.Builder
	for _, met := range l.recipes.met {
		now, _ := l.now.Find(met.ref.Text)
		old, known := l.old.Find(met.ref.Text)
		switch {
		case !known:
			fmt.Fprintf(&b, "%s is %s\n", now.Reference, now.At())
			for _, line := range now.Authority.Lines() {
				fmt.Fprintf(&b, "  %s\n", line)
			}
		case old.At() != now.At() || old.Hash != now.Hash:
			fmt.Fprintf(&b, "%s was %s, and is %s\n", now.Reference, old.At(), now.At())
			l.tellFiles(&b, old, met)
			changes := authority.Compare(old.Authority, now.Authority)
			for _, d := range changes {
				fmt.Fprintf(&b, "  %s\n", d)
			}
			if len(changes) == 0 {
				b.WriteString("  it may do what it could before\n")
			}
			wider = wider || authority.Wider(changes)
		}
	}
	if b.Len() == 0 {
		b.WriteString("nothing changes in " + lockOf(l.file) + "\n")
	}
	fmt.Fprint(l.stdout, term.VisibleLines(b.String()))
	return wider
}

// tellFiles prints which files an update changes, where the old ones are still there.
func (l *locking) tellFiles(b *strings.Builder, old recipe.Locked, met metRecipe) {
	const most = 30
	_, before, err := l.cache.Get(old.Hash)
	if err != nil {
		return
	}
	var lines []string
	for _, name := range met.tree.Names() {
		now, _ := met.tree.Data(name)
		switch data, there := before.Data(name); {
		case !there:
			lines = append(lines, "+ file "+name)
		case string(data) != string(now):
			lines = append(lines, "~ file "+name)
		}
	}
	for _, name := range before.Names() {
		if _, there := met.tree.Data(name); !there {
			lines = append(lines, "- file "+name)
		}
	}
	if len(lines) > most {
		lines = append(lines[:most], fmt.Sprintf("and %d more files", len(lines)-most))
	}
	for _, line := range lines {
		fmt.Fprintf(b, "  %s\n", line)
	}
}

// confirm asks the person at the terminal whether what is wider is taken.
func (l *locking) confirm(ctx context.Context) error {
	yes, asked, err := l.askPerson(ctx, "It may do more than before. Take it? [y/N] ")
	switch {
	case err != nil:
		return err
	case yes:
		return nil
	case !asked:
		l.complain(usage("read what is marked; --accept-wider takes it", "the update may do more than before, and nobody is there to be asked: %s stays as it is", lockOf(l.file)))
	}
	return exitError(exitDenied)
}

// check says whether the lock has all references of the workflow, and whether each
// recipe is what the lock says of it.
func (l *locking) check(ctx context.Context, online bool) error {
	l.recipes.offline = true
	if err := l.load(); err != nil {
		return err
	}
	for _, met := range l.recipes.met {
		old, _ := l.old.Find(met.ref.Text)
		now, _ := l.now.Find(met.ref.Text)
		if changes := authority.Compare(old.Authority, now.Authority); len(changes) > 0 {
			return usage("flow lock writes what it may do", "%s does not say what %s may do: %s", lockOf(l.file), met.ref.Text, changes[0])
		}
		if !online || met.ref.Pinned() {
			continue
		}
		at, err := recipe.Resolve(ctx, met.ref)
		if err != nil {
			return err
		}
		if at != old.At() {
			return usage("flow lock --update takes it, where that is meant", "%s has moved: the lock has %s, and it stands for %s now", met.ref.Text, old.At(), at)
		}
	}
	return nil
}
