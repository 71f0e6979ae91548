// Package suite runs test files of workflows: cases with a scripted model, and with expectations of
// the run.
//
//	s, mistakes := suite.Load([]string{"examples"}, suite.Options{})
//	if mistakes.HasErrors() {
//		return mistakes
//	}
//	defer s.Close()
//	outcomes, err := s.Run(ctx)
//
// Each case is a run like any other, with the real loop, tools, rules and limits, in a workspace of
// its own. It reaches nothing outside this machine: a model without a script, a page, or a remote tool
// server fails the case.
package suite

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// Options configure a suite. The zero value runs all cases.
type Options struct {
	Environment host.Environment

	// Recipe returns the reference that names a workflow; "" for one that is named by its path.
	// Nil: all are.
	Recipe func(workflow string) string

	Only     *regexp.Regexp // fits the names of the cases that run; nil: all
	FailFast bool           // no case begins after one that failed
	Keep     bool           // the folders of cases that passed are kept, too
	Update   bool           // golden files are rewritten
	Parallel int            // cases that run at once; 0: twice as many as processors, at least 4

	Cover *Coverage // takes what the cases reach; nil: it is not looked at

	// Live is a real model that all steps ask in place of their scripts, with network and
	// keys. Times is how often each case runs; 0 is once.
	Live  string
	Times int

	// Exit returns the exit code for a result, or for the error that kept a workflow from
	// running. Nil: expectations of exit codes are not met.
	Exit func(*runner.Result, error) int

	// Observe is called with each outcome, one at a time, in the order of the cases, as soon as
	// all before it have ended. It may be nil.
	Observe func(*Outcome)
}

// A Suite has test files and their workflows.
type Suite struct {
	Files []*File

	options Options
	loaded  loadedWorkflows
	dir     string // of the cases' folders; "" before the first one
	kept    bool   // something in it is
}

// Load reads the named test files, and those in and below the named folders, with their workflows. The
// Suite can run only if the mistakes have no errors. The caller closes it.
func Load(names []string, o Options) (*Suite, workflows.Diagnostics) {
	s := &Suite{options: o}
	s.loaded.live, s.loaded.recipe = o.Live != "", o.Recipe
	files, found := find(names)
	for _, file := range files {
		t, mistakes := s.load(file)
		found = append(found, mistakes...)
		if t != nil {
			s.Files = append(s.Files, t)
		}
	}
	return s, found.Sorted()
}

// load reads one file, and checks its cases against their workflow.
func (s *Suite) load(file string) (*File, workflows.Diagnostics) {
	data, err := host.ReadSource(file)
	if err != nil {
		return nil, workflows.Diagnostics{unreadable(file, err)}
	}
	t, found := parse(file, data)
	if t == nil {
		return nil, found
	}
	if path := s.leaves(t); path != "" {
		d := unreadable(file, nil)
		if written, err := filepath.Rel(filepath.Dir(file), path); err == nil {
			path = filepath.ToSlash(written) // and not from the cache
		}
		d.Message = fmt.Sprintf("the test uses %s, which is outside of its recipe", path)
		return nil, workflows.Diagnostics{d}
	}
	w, mistakes := s.loaded.load(t.Workflow, s.options.Environment, nil)
	found = append(found, mistakes...)
	if w != nil {
		found = append(found, t.check(w.Workflow, w.ToolInfos())...)
		if s.options.Cover != nil {
			s.options.Cover.expect(w.Workflow)
		}
	}
	return t, append(found, checkFiles(t, w)...)
}

// leaves returns a path in the test of a recipe that leads out of the recipe, directly or by symlinks;
// "" if none does, and for the caller's own tests.
func (s *Suite) leaves(t *File) string {
	fetched := s.options.Environment.Fetched
	if fetched == nil {
		return ""
	}
	root := fetched(t.File)
	if root == "" {
		return ""
	}
	within, err := filepath.EvalSymlinks(root)
	for _, path := range t.named {
		absolute, unknown := filepath.Abs(path)
		real, missing := filepath.EvalSymlinks(absolute)
		if err != nil || unknown != nil || !paths.Holds(root, absolute) || missing == nil && !paths.Holds(within, real) {
			return path
		}
	}
	return ""
}

// unreadable is the mistake of a file that can't be read.
func unreadable(file string, err error) workflows.Diagnostic {
	return diagnostic.OfFile(file, diagnostic.CodeFile, fmt.Sprintf("the file can't be read: %v", err))
}

// checkFiles reports unusable scripts and folders of cases. w is nil if the workflow can't be read.
func checkFiles(t *File, w *host.Loaded) workflows.Diagnostics {
	var found workflows.Diagnostics
	for _, c := range t.Cases {
		if c.Script.Text != "" {
			data, err := host.ReadSource(c.Script.Text)
			if err != nil {
				found = append(found, fileMistake(c.Script, fmt.Sprintf("the script %s: %v", c.Script.Text, err)))
			} else if played, mistakes := workflows.ParseScript(c.Script.Text, data); mistakes.HasErrors() {
				found = append(found, mistakes...)
			} else if w != nil {
				found = append(found, played.Check(w.Workflow)...)
			}
		}
		if c.Folder.Text == "" {
			continue
		}
		info, err := os.Stat(c.Folder.Text)
		switch {
		case err != nil:
			found = append(found, fileMistake(c.Folder, fmt.Sprintf("the folder %s: %v", c.Folder.Text, paths.Cause(err))))
		case !info.IsDir():
			found = append(found, fileMistake(c.Folder, c.Folder.Text+" is not a folder"))
		}
	}
	return found
}

// find lists the named test files, and those in folders, each once, sorted within a folder.
func find(names []string) (files []string, found workflows.Diagnostics) {
	for _, name := range names {
		all := []string{name}
		info, err := os.Stat(name)
		if err = paths.Cause(err); err == nil && info.IsDir() {
			all, err = findBelow(name)
		}
		switch {
		case err != nil:
			found = append(found, unreadable(name, err))
		case len(all) == 0:
			d := unreadable(name, nil)
			d.Message, d.Hint = "no test file in the folder", "the name of one ends with "+suffix
			found = append(found, d)
		}
		for _, file := range all {
			if err == nil && !slices.Contains(files, file) {
				files = append(files, file)
			}
		}
	}
	return files, found
}

// findBelow lists the test files in and below a folder. It leaves out folders whose names begin with a
// dot, node_modules, and vendored recipes.
func findBelow(folder string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil && path == folder:
			return paths.Cause(err)
		case err != nil: // a folder that can't be read
			return fmt.Errorf("%s: %w", path, paths.Cause(err))
		case d.IsDir() && path != folder && (strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"node_modules", paths.VendorFolder}, d.Name())):
			return filepath.SkipDir
		case d.Type().IsRegular() && strings.HasSuffix(d.Name(), suffix):
			files = append(files, path)
		}
		return nil
	})
	return files, err
}

// loadedWorkflows loads each workflow once for the same variables. It is safe for concurrent use.
type loadedWorkflows struct {
	live   bool // keys are seen
	recipe func(workflow string) string

	mu  sync.Mutex
	all map[string]*host.Loaded
}

// load loads a workflow in the environment of a case.
func (l *loadedWorkflows) load(file string, env host.Environment, set map[string]string) (*host.Loaded, workflows.Diagnostics) {
	id := fmt.Sprintf("%q %q", file, set) // the keys of the map are sorted
	l.mu.Lock()
	defer l.mu.Unlock()
	if w := l.all[id]; w != nil {
		return w, nil
	}
	o := host.LoadOptions{Environment: l.environment(env, set)}
	if l.recipe != nil {
		o.Recipe = l.recipe(file)
	}
	w, found := host.Load(file, o)
	if l.all == nil {
		l.all = map[string]*host.Loaded{}
	}
	if w != nil {
		l.all[id] = w
	}
	return w, found
}

// environment is an environment with the variables of a case and, unless a real model is asked, without
// the keys and addresses of providers.
func (l *loadedWorkflows) environment(env host.Environment, set map[string]string) host.Environment {
	hidden := map[string]bool{}
	providers, _ := env.Providers() // all of them, so there is no error
	if l.live {
		providers = nil
	}
	for _, p := range providers {
		hidden[p.URLVar], hidden[p.SignIn] = true, true
		for _, name := range p.KeyVars {
			hidden[name] = true
		}
	}
	outside := env.Lookup
	if outside == nil {
		outside = os.LookupEnv
	}
	env.Given = set
	env.Lookup = func(name string) (string, bool) {
		if hidden[name] {
			return "", false
		}
		return outside(name)
	}
	return env
}

// Close removes the folders of the cases, but for those that are kept.
func (s *Suite) Close() error {
	if s.dir == "" || s.kept {
		return nil
	}
	return os.RemoveAll(s.dir)
}
