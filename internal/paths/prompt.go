package paths

import (
	"fmt"
	"path/filepath"
	"slices"
)

// WhyProtected is why a file of a run, or a hook or a setting of git, is never written. Of
// files that seem to be prompts, judging by their names, it says how what a model writes can be one all the same.
func WhyProtected(path string, ofGit bool) string {
	if ofGit {
		return "it is a hook or a setting of git, and no rule can allow a change of it during the run"
	}
	why := "it is a file that this run is made of, and no rule can allow a change of it during the run"
	if !slices.Contains([]string{".md", ".txt", ".prompt"}, filepath.Ext(path)) {
		return why
	}
	return why + fmt.Sprintf("; prompt: ${{ file(%q) }} takes a file that a model wrote, as text in which nothing is evaluated", filepath.Base(path))
}
