package host

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

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
	if near := nearFile(file); near != "" && filepath.Clean(near) != filepath.Clean(file) {
		return "did you mean " + near + "?"
	}
	const maxNamed = 5
	if inside := workflowsIn(file); 0 < len(inside) && len(inside) <= maxNamed {
		return "name a file in it: " + strings.Join(inside, ", ")
	}
	return ""
}

// workflowsIn returns the workflows in a folder; none if the path is no folder.
func workflowsIn(folder string) (names []string) {
	if info, err := os.Stat(folder); err != nil || !info.IsDir() { // opening a pipe would block
		return nil
	}
	files, _ := WorkflowsIn(folder)
	for _, file := range files {
		names = append(names, filepath.Base(file))
	}
	return names
}

// nearFile returns the file whose name is nearest to one that does not exist, or the only workflow in
// a folder; "" if there is none.
func nearFile(path string) string {
	if inside := workflowsIn(path); len(inside) == 1 {
		return filepath.Join(path, inside[0])
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
	if near == "" {
		return ""
	}
	return filepath.Join(folder, near)
}
