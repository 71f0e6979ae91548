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

// NearFileHint says which file may have been meant by one that can't be read; "" if none is
// near. Of a folder these are the workflows in it.
func NearFileHint(file string) string {
	if near := nearFile(file); near != "" && filepath.Clean(near) != filepath.Clean(file) {
		return "did you mean " + near + "?"
	}
	const few = 5
	inside := workflowsIn(file)
	if len(inside) == 0 || len(inside) > few {
		return ""
	}
	return "name a file in it: " + strings.Join(inside, ", ")
}

// workflowsIn returns the files in a folder that may be workflows, by their names.
func workflowsIn(folder string) []string {
	return slices.DeleteFunc(filesLike(folder, ".yaml"), func(name string) bool {
		return strings.Contains(name, ".script.") || strings.Contains(name, ".test.")
	})
}

// nearFile returns the file whose path is nearest to one that does not exist, or the only file
// in a folder; "" if none is near. It is a YAML file unless the name has another ending.
func nearFile(path string) string {
	if inside := workflowsIn(path); len(inside) == 1 {
		return filepath.Join(path, inside[0])
	} else if len(inside) > 0 {
		return ""
	}
	folder, name := filepath.Split(path)
	if _, err := os.Stat(filepath.Clean(folder)); folder != "" && err != nil {
		above, last := filepath.Split(filepath.Clean(folder))
		near := nearest.Of(last, names(above, os.FileMode.IsDir))
		if near == "" {
			return ""
		}
		folder = filepath.Join(above, near)
	}
	files := filesLike(folder, filepath.Ext(name))
	for _, whole := range []string{name, name + ".yaml", name + ".yml"} {
		if slices.Contains(files, whole) {
			return filepath.Join(folder, whole)
		}
	}
	if near := nearest.Of(name, files); near != "" {
		return filepath.Join(folder, near)
	}
	return ""
}

// filesLike returns the names of the files in a folder with that ending. The two endings of YAML,
// and no ending, count as the same.
func filesLike(folder, ending string) []string {
	endings := []string{ending}
	if ending == "" || ending == ".yaml" || ending == ".yml" {
		endings = []string{".yaml", ".yml"}
	}
	return slices.DeleteFunc(names(folder, os.FileMode.IsRegular), func(name string) bool { return !slices.Contains(endings, filepath.Ext(name)) })
}

// names returns the names of entries of a kind in a folder, up to a bound, for a hint.
func names(folder string, kind func(os.FileMode) bool) []string {
	const most = 1000
	folder = filepath.Clean(folder)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() { // opening a pipe would block
		return nil
	}
	open, err := os.Open(folder)
	if err != nil {
		return nil
	}
	defer open.Close()
	entries, _ := open.ReadDir(most)
	var found []string
	for _, entry := range entries {
		if kind(entry.Type()) {
			found = append(found, entry.Name())
		}
	}
	slices.Sort(found)
	return found
}
