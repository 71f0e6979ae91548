package host

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools/permission"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// protected returns the files and folders that the run is made of, existing or not: workflows,
// recipes with all of their files, and the lock and the vendor folder beside the first workflow.
func (l *Loaded) protected() []string {
	all := append(protectedFiles(l.all), slices.Sorted(maps.Keys(l.origins.roots))...)
	for _, own := range protectedFiles([]*workflows.Workflow{l.Workflow}) {
		all = append(all, recipesIn(filepath.Dir(own))...)
	}
	return all
}

// sources returns the other files that the run is made of, existing or not: prompts, scripts of
// models and whatever else was read with its workflows, and their tests.
func (l *Loaded) sources() (all []string) {
	files := slices.Clone(l.read)
	for _, w := range l.all {
		files = append(files, testsOf(w.File)...)
	}
	own := protectedFiles(l.all)
	for _, path := range files {
		for _, path := range alsoReal(absolute(path)) {
			if !slices.Contains(own, path) && !slices.Contains(all, path) && permission.CheckPath(path) == nil {
				all = append(all, path)
			}
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

// instructions returns the files of instructions that are known before anything runs.
func (l *Loaded) instructions() (all []string) {
	for _, w := range l.all {
		for _, step := range workflows.Leaves(w.Steps) {
			if step.Agent == nil {
				continue
			}
			for _, file := range step.Agent.Instructions {
				path, known := file.Static()
				path = absolute(paths.In(w.Dir, filepath.FromSlash(path)))
				if known && !slices.Contains(all, path) && permission.CheckPath(path) == nil {
					all = append(all, path)
				}
			}
		}
	}
	return all
}

// recipesIn returns the lock and the vendor folder in a folder, with the targets of symlinks.
func recipesIn(dir string) (all []string) {
	for _, name := range []string{lockFile, paths.VendorFolder} {
		all = append(all, alsoReal(filepath.Join(dir, name))...)
	}
	return all
}

// protectedFiles returns the files of workflows, with the targets of symlinks.
func protectedFiles(all []*workflows.Workflow) (files []string) {
	for _, w := range all {
		files = append(files, alsoReal(absolute(w.File))...)
	}
	return files
}

// absolute returns a path from the root, or as it is where the current folder is not known.
func absolute(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

// regularFiles returns those of the paths that are, or may become, regular files, absolute and in
// folders without symlinks.
func regularFiles(all []string) (files []string) {
	for _, path := range all {
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
			continue
		}
		path, err := filepath.Abs(path)
		if err != nil || permission.CheckPath(path) != nil {
			continue
		}
		if real, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
			path = filepath.Join(real, filepath.Base(path))
		}
		files = append(files, path)
	}
	return files
}

// alsoReal is a path and the target of its symlinks.
func alsoReal(path string) []string {
	if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
		return []string{path, real}
	}
	return []string{path}
}

// protectedFrom returns the paths that the tools and commands of a step never write. Only its author
// may change what a workflow grants, so for a step from elsewhere they include the workflows in its
// caller's folders and in the workspace, with the recipes that they use.
func (b *toolboxes) protectedFrom(scope runner.ToolScope) []string {
	all := slices.Concat(b.protected, b.sources)
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
		own, _ := WorkflowsIn(dir) // where it can't be read nothing of it is run either
		all = append(append(all, recipesIn(dir)...), own...)
	}
	return all
}

// maxWorkflows is how many workflows of a folder are listed.
const maxWorkflows = 500

// The keys that every workflow has, each on a line or in braces. A script has no name, and other
// programs' files have no steps.
var (
	nameKey  = regexp.MustCompile(`(?m)(^|[{,][ \t]*)["']?name["']?[ \t]*:`)
	stepsKey = regexp.MustCompile(`(?m)(^|[{,][ \t]*)["']?steps["']?[ \t]*:`)
)

// WorkflowsIn returns the paths of the files in a folder that look like workflows, sorted, at most 500.
func WorkflowsIn(dir string) (all []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, entry := range entries {
		if file := filepath.Join(dir, entry.Name()); len(all) < maxWorkflows && isWorkflow(file) {
			all = append(all, file)
		}
	}
	return all, err
}

func isWorkflow(file string) bool {
	ending := filepath.Ext(file)
	kind := filepath.Ext(strings.TrimSuffix(file, ending))
	if ending != ".yaml" && ending != ".yml" || kind == ".script" || kind == ".test" {
		return false
	}
	text, err := ReadSource(file)
	return err == nil && nameKey.Match(text) && stepsKey.Match(text)
}
