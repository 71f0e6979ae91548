package shell

import (
	"path/filepath"
	"slices"
	"strings"
)

// Environment returns the environment of a command: the variables that programs need to
// work at all, the named ones, and a UTF-8 locale unless a locale variable is named. lookup
// is like [os.LookupEnv]; variables that it does not find are left out.
func Environment(names []string, lookup func(name string) (string, bool)) []string {
	all := slices.Concat(basics(), names)
	slices.Sort(all)
	var env []string
	for _, name := range slices.Compact(all) {
		if value, ok := lookup(name); ok {
			env = append(env, name+"="+value)
		}
	}
	if slices.ContainsFunc(all, isLocale) {
		return env
	}
	return inUTF8(env)
}

func basics() []string {
	return []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "TZ"}
}

func isLocale(name string) bool { return name == "LANG" || strings.HasPrefix(name, "LC_") }

// inUTF8 sets a UTF-8 locale. In another encoding the shell may take the last byte of a
// letter, and the quote after it, for one character.
func inUTF8(env []string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return isLocale(name)
	})
	return append(env, "LANG=C.UTF-8", "LC_ALL=C.UTF-8")
}

// absolutePath removes relative folders from PATH: a model could write programs there.
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
