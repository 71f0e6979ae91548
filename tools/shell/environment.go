package shell

import (
	"runtime"
	"slices"
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
	names := []string{
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "TZ",
		"LANG", "LANGUAGE", "LC_ALL", "LC_COLLATE", "LC_CTYPE", "LC_MESSAGES", "LC_MONETARY", "LC_NUMERIC", "LC_TIME",
	}
	if runtime.GOOS == "windows" {
		names = append(names, "SystemRoot", "SystemDrive", "ComSpec", "PATHEXT", "TEMP", "TMP", "USERPROFILE")
	}
	return names
}
