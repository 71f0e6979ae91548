package host

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// hintNearFile adds to the mistake of a file that can't be read which file may have been meant.
func hintNearFile(found workflows.Diagnostics, file string) workflows.Diagnostics {
	if len(found) != 1 || found[0].Code != diagnostic.CodeFile || found[0].File != file || found[0].Source != "" || found[0].Hint != "" {
		return found
	}
	found[0].Hint = NearFileHint(file)
	return found
}

// NearFileHint says which file may have been meant by one that can't be read; "" if none is near. Of a
// folder these are the workflows in it.
func NearFileHint(file string) string {
	if near := nearFile(file); near != "" {
		return "did you mean " + near + "?"
	}
	const maxNamed = 5
	inside, _ := WorkflowsIn(file)
	if len(inside) == 0 || len(inside) > maxNamed {
		return ""
	}
	for i, path := range inside {
		inside[i] = filepath.Base(path)
	}
	return "name a file in it: " + strings.Join(inside, ", ")
}

// nearFile returns the file whose name is nearest to one that does not exist, or the only workflow in
// a folder; "" if there is none.
func nearFile(path string) string {
	if inside, _ := WorkflowsIn(path); len(inside) == 1 {
		return inside[0]
	} else if len(inside) > 0 {
		return ""
	}
	folder, name := filepath.Split(path)
	entries, _ := os.ReadDir(filepath.Clean(folder))
	var files []string
	for _, entry := range entries {
		if entry.Type().IsRegular() {
			files = append(files, entry.Name())
		}
	}
	near := nearest.Of(name, files)
	if slices.Contains(files, name+".yaml") {
		near = name + ".yaml"
	}
	if near == "" || near == name {
		return ""
	}
	return filepath.Join(folder, near)
}

// maxWorkflows is how many workflows of a folder are listed.
const maxWorkflows = 500

// The keys that every workflow has, each on a line or in braces. A script has no name, and other
// programs' files have no steps.
var (
	nameKey  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)(^|[{,][ \t]*)["']?name["']?[ \t]*:`) })
	stepsKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)(^|[{,][ \t]*)["']?steps["']?[ \t]*:`) })
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

func isYAML(file string) bool { return filepath.Ext(file) == ".yaml" || filepath.Ext(file) == ".yml" }

func isWorkflow(file string) bool {
	kind := filepath.Ext(strings.TrimSuffix(file, filepath.Ext(file)))
	if !isYAML(file) || kind == ".script" || kind == ".test" {
		return false
	}
	text, err := ReadSource(file)
	return err == nil && nameKey().Match(text) && stepsKey().Match(text)
}
