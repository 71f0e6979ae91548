package shell

import (
	"path/filepath"
	"slices"
	"strings"
)

// Environment returns the variables that a command gets: those that programs
// need to work at all, and the named ones. Lookup is such as [os.LookupEnv]; a
// variable that it does not know is left out.
func Environment(names []string, lookup func(name string) (string, bool)) []string {
	all := slices.Concat(basics(), names)
	slices.Sort(all)
	var env []string
	for _, name := range slices.Compact(all) {
		if value, ok := lookup(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

func basics() []string {
	return []string{
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "TZ",
		"LANG", "LANGUAGE", "LC_ALL", "LC_COLLATE", "LC_CTYPE", "LC_MESSAGES", "LC_MONETARY", "LC_NUMERIC", "LC_TIME",
	}
}

// absolutePath takes the folders out of PATH that depend on where a command runs:
// a model could have written the programs there.
func absolutePath(env []string) []string {
	env = slices.Clone(env)
	for i, variable := range env {
		if list, ok := strings.CutPrefix(variable, "PATH="); ok {
			folders := slices.DeleteFunc(filepath.SplitList(list), func(folder string) bool { return !filepath.IsAbs(folder) })
			env[i] = "PATH=" + strings.Join(folders, string(filepath.ListSeparator))
		}
	}
	return env
}
