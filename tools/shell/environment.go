package shell

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/known"
)

// Environment returns the environment of a command: the variables that programs need to
// work at all, the named ones, a UTF-8 locale unless a locale variable is named, and a
// setting with which git prints the names that files have. lookup is like [os.LookupEnv];
// variables that it does not find are left out.
func Environment(names []string, lookup func(name string) (string, bool)) []string {
	all := slices.Concat(basics(), names)
	slices.Sort(all)
	var env []string
	for _, name := range slices.Compact(all) {
		if value, ok := lookup(name); ok {
			env = append(env, name+"="+value)
		}
	}
	if !slices.ContainsFunc(all, known.IsLocale) {
		env = inUTF8(env)
	}
	return configureGit(env, gitSetting{"core.quotePath", "false"})
}

func basics() []string {
	return []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "TZ"}
}

// inUTF8 sets a UTF-8 locale. In another encoding the shell may take the last byte of a
// letter, and the quote after it, for one character.
func inUTF8(env []string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return known.IsLocale(name)
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

// ofModel returns the environment of a model's command. Nobody sees its pager or its
// editor. Git uses no bare repository that it finds, because a model could write one whose
// configuration names programs for git to run, and leaves nothing running that tidies up.
func ofModel(env []string) []string {
	env = configureGit(absolutePath(inUTF8(env)),
		gitSetting{"safe.bareRepository", "explicit"}, gitSetting{"gc.auto", "0"}, gitSetting{"maintenance.auto", "false"})
	own := []string{"PAGER=cat", "GIT_PAGER=cat", "GIT_EDITOR=true", "GIT_SEQUENCE_EDITOR=true", "EDITOR=false", "VISUAL=false"}
	env = slices.DeleteFunc(env, func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.ContainsFunc(own, func(other string) bool { return strings.HasPrefix(other, name+"=") })
	})
	return append(env, own...)
}

type gitSetting struct{ key, value string }

// configureGit adds settings of git to an environment, in which other settings take
// precedence.
func configureGit(env []string, settings ...gitSetting) []string {
	const counting, key, value = "GIT_CONFIG_COUNT=", "GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_"
	count := 0
	var out []string
	for _, variable := range env {
		if text, is := strings.CutPrefix(variable, counting); is {
			count, _ = strconv.Atoi(text) // git itself refuses what is no number
			continue
		}
		for _, prefix := range []string{key, value} { // git takes the last setting
			number, text, _ := strings.Cut(strings.TrimPrefix(variable, prefix), "=")
			if i, err := strconv.Atoi(number); err == nil && strings.HasPrefix(variable, prefix) {
				variable = fmt.Sprintf("%s%d=%s", prefix, i+len(settings), text)
			}
		}
		out = append(out, variable)
	}
	out = append(out, fmt.Sprintf("%s%d", counting, max(count, 0)+len(settings)))
	for i, s := range settings {
		out = append(out, fmt.Sprintf("%s%d=%s", key, i, s.key), fmt.Sprintf("%s%d=%s", value, i, s.value))
	}
	return out
}
