package host

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/internal/repository"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/tools/permission"
	"github.com/a-seed-11b9befa/flow/tools/shell"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// protectedFiles are the files that a run is made of, existing or not.
type protectedFiles struct {
	protected []string // workflows, recipes with all of their files, locks, and what the caller writes: never written
	growing   []string // those of them that the caller writes during the run
	sources   []string // prompts, scripts, tests and whatever else was read: only commands of their own author change them
	guarded   []string // instructions: a rule for writing has to spell their whole path
	own       []string // the folders of workflows that are no recipe's
}

// protectedFilesOf finds the files of a run with these options.
func (l *Loaded) protectedFilesOf(o Options) (p protectedFiles) {
	workflowFiles := filesOf(l.all)
	p.protected = append(slices.Clone(workflowFiles), slices.Sorted(maps.Keys(l.origins.roots))...)
	for _, file := range filesOf([]*workflows.Workflow{l.Workflow}) {
		p.protected = append(p.protected, recipesIn(filepath.Dir(file))...)
	}
	if o.Events != "" {
		p.growing = regularFiles([]string{o.Events})
	}
	p.protected = slices.Concat(p.protected, regularFiles(o.Protected), p.growing)

	read := slices.Concat(l.read, l.namedScripts(), l.computedScripts(o.Inputs))
	if script := l.ScriptFile(o.Model); script != "" {
		read = append(read, script)
	}
	for _, w := range l.all {
		read = append(read, testsOf(w.File)...)
		if !l.foreign[w] {
			p.own = append(p.own, filepath.Dir(realPath(w.File)))
		}
	}
	for _, path := range read {
		for _, path := range alsoReal(path) {
			if !slices.Contains(workflowFiles, path) && !slices.Contains(p.sources, path) && permission.CheckPath(path) == nil {
				p.sources = append(p.sources, path)
			}
		}
	}
	for _, path := range l.instructions() {
		if path = alsoReal(path)[0]; !slices.Contains(p.guarded, path) && permission.CheckPath(path) == nil {
			p.guarded = append(p.guarded, path)
		}
	}
	return p
}

// protectedFrom returns the paths that the tools and commands of a scope never write. Only its author
// may change what a workflow grants, so for a recipe they include the workflows in its caller's folders
// and in the workspace, with the recipes that they use.
func (b *toolboxes) protectedFrom(scope runner.ToolScope) []string {
	all := slices.Concat(b.protected, b.sources, b.hooksAround(scope.Workspace))
	if scope.Run != "" {
		all = append(all, scope.Run)
	}
	if !b.foreign[scope.Workflow] {
		return all
	}
	folders := append(slices.Clone(b.own), realPath(scope.Workspace))
	for _, layer := range scope.Layers {
		if layer.Workspace != "" {
			folders = append(folders, realPath(layer.Workspace))
		}
	}
	slices.Sort(folders)
	for _, dir := range slices.Compact(folders) {
		all = slices.Concat(all, recipesIn(dir), workflowsOf(dir))
	}
	return all
}

// workflowsOf returns the workflows in a folder, also by the targets of their links. From a number
// on, each YAML file counts as one, so that none is left out of a full folder.
func workflowsOf(dir string) (all []string) {
	entries, _ := os.ReadDir(dir) // where it can't be read nothing of it is run either
	for _, entry := range entries {
		if file := filepath.Join(dir, entry.Name()); isYAML(file) && (len(all) >= maxWorkflows || isWorkflow(file)) {
			all = append(all, alsoReal(file)...)
		}
	}
	return all
}

// hooksAround returns the folders outside of .git from which git runs hooks in the repository around a
// workspace, and the files that its settings include, but for those that hold the whole workspace.
func (b *toolboxes) hooksAround(workspace string) (all []string) {
	found, ok := repository.Around(workspace)
	if !ok {
		return nil
	}
	for _, path := range slices.Concat(found.Hooks(b.env.home()), found.Included(b.env.home())) {
		info, err := os.Stat(path)
		isSpecial := err == nil && !info.IsDir() && !info.Mode().IsRegular() // as /dev/null is, which stands for no hooks
		if !isSpecial && !paths.Holds(realPath(path), realPath(workspace)) { // one that is not there can be made
			all = append(all, alsoReal(path)...)
		}
	}
	return all
}

// testsOf returns the test file that is named like a workflow, and the others beside it.
func testsOf(file string) []string {
	name := strings.TrimSuffix(file, filepath.Ext(file))
	all, _ := filepath.Glob(filepath.Join(escapeGlob.Replace(filepath.Dir(file)), "*.test.y*ml"))
	return append(all, name+".test.yaml", name+".test.yml")
}

var escapeGlob = strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`)

// recipesIn returns the lock and the vendor folder in a folder, with the targets of symlinks.
func recipesIn(dir string) (all []string) {
	for _, name := range []string{lockFile, paths.VendorFolder} {
		all = append(all, alsoReal(filepath.Join(dir, name))...)
	}
	return all
}

// filesOf returns the files of workflows, with the targets of symlinks.
func filesOf(all []*workflows.Workflow) (files []string) {
	for _, w := range all {
		files = append(files, alsoReal(w.File)...)
	}
	return files
}

// regularFiles returns those of the paths that are, or may become, regular files, absolute and in
// folders without symlinks.
func regularFiles(all []string) (files []string) {
	for _, path := range all {
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
			continue
		}
		if path, err := filepath.Abs(path); err == nil && permission.CheckPath(path) == nil {
			files = append(files, filepath.Join(realPath(filepath.Dir(path)), filepath.Base(path)))
		}
	}
	return files
}

// alsoReal returns a path from the root, and the target of its symlinks, if it is another one.
func alsoReal(path string) []string {
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
		return []string{path, real}
	}
	return []string{path}
}

// recordsBeside returns the folder of a run outside .flow/runs, and those of other runs beside it.
func recordsBeside(run string) (all []string) {
	if run == "" || strings.HasSuffix(filepath.Dir(run), string(filepath.Separator)+RunsFolder) {
		return nil
	}
	entries, _ := os.ReadDir(filepath.Dir(run)) // where it can't be read, tools can't read it either
	for _, entry := range entries {
		dir := filepath.Join(filepath.Dir(run), entry.Name())
		if _, err := os.Lstat(filepath.Join(dir, journal.File)); err == nil && dir != run {
			all = append(all, dir)
		}
	}
	return append(all, run)
}

// keeperOf returns what undoes forbidden changes of commands that are not held: of git's
// configuration, of files that nobody writes during the run, and of the records of runs that have
// ended. A running program protects its own records.
func (b *toolboxes) keeperOf(scope runner.ToolScope, protected []string) *shell.Keeper {
	root, err := filepath.EvalSymlinks(scope.Workspace)
	if err != nil {
		return nil
	}
	var git []string
	if found, ok := repository.Around(root); ok {
		git = paths.Outermost([]string{filepath.Join(found.Top, ".git"), found.Git, found.Common})
	}
	kept := slices.DeleteFunc(slices.Clone(protected), func(path string) bool { return path == scope.Run || slices.Contains(b.growing, path) })
	kept = append(kept, filepath.Join(root, "HEAD")) // git would look for a repository beside it
	return &shell.Keeper{Root: root, Git: git, Files: func() []string {
		return slices.Concat(kept, endedRuns(filepath.Join(root, RunsFolder), scope.Run))
	}}
}

// endedRuns returns the folders of runs in which no process works, except own.
func endedRuns(dir, own string) (all []string) {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		run, err := journal.OpenReader(path)
		if err != nil {
			continue
		}
		if path != own && !run.Busy() {
			all = append(all, path)
		}
		run.Close()
	}
	return all
}
