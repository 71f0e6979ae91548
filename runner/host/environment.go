package host

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/shell"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// An Environment gives workflows access to the surroundings of a program. The zero value is that of
// this process.
type Environment struct {
	// Lookup returns a variable of the environment, and whether it is set: keys, base URLs,
	// the variables that workflows name under env, and PATH and the like for commands. It has
	// to be safe for concurrent use. Nil is [os.LookupEnv].
	Lookup func(name string) (value string, set bool)

	// Given are the variables of workflows alone, in place of those of Lookup: their expressions
	// and commands see them, and nothing else does. The keys, addresses and folders of flow
	// itself come from Lookup.
	Given map[string]string

	// Names returns the names of all variables that Lookup knows, for patterns in workflows,
	// such as GITHUB_*. Nil returns none or, if Lookup is nil too, those of this process.
	Names func() []string

	// Recipe finds the recipe of a reference under uses, in the file from of the loaded
	// workflow top. It reports false for a text that is no reference. It has to be safe for
	// concurrent use. Nil: there are no recipes.
	Recipe func(top, from, reference string) (recipe Recipe, ok bool, err error)

	// Fetched returns the folder, absolute, of the fetched recipe that a file belongs to, also
	// through symlinks; "" for any other file. Recipes in vendor folders are known without it.
	// Nil: there are no others.
	Fetched func(file string) string

	// Intact returns an error if a file belongs to a fetched recipe that has changed since. Nil
	// checks nothing.
	Intact func(file string) error

	// Tools are tools in Go, beside the built-in ones. A call of one is denied unless a rule
	// names it; such a rule is a verdict, without patterns. They are shared between runs, and have to be safe for concurrent use.
	Tools []tools.Tool

	// Models are models in Go, which workflows name by the Ref of their Info, such as
	// mine/echo. Each is asked as it is: [providers.Retry] and [providers.Limit] wrap one that
	// needs that. They are shared between runs, and have to be safe for concurrent use.
	Models []providers.Model

	// Sandbox is the least that the commands of workflows are held to: no file says less. The
	// zero value leaves it to the files.
	Sandbox workflows.SandboxLevel

	// Version is the version of the program, which MCP servers are told. It may be empty.
	Version string
}

// lookup returns a variable, and whether it is set.
func (env Environment) lookup(name string) (string, bool) {
	if env.Lookup == nil {
		return os.LookupEnv(name)
	}
	return env.Lookup(name)
}

// ofWorkflow returns a variable as workflows and their commands see it.
func (env Environment) ofWorkflow(name string) (string, bool) {
	if value, ok := env.Given[name]; ok {
		return value, true
	}
	return env.lookup(name)
}

// fetched is the folder of the fetched recipe that a file belongs to; "" for any other file.
func (env Environment) fetched(file string) string {
	if env.Fetched != nil {
		if root := env.Fetched(file); root != "" {
			return root
		}
	}
	return paths.Vendored(realPath(file))
}

// get is the value of a variable, "" if it is not set.
func (env Environment) get(name string) string {
	value, _ := env.lookup(name)
	return value
}

// home is the folder that ~ means, "" if it is not known.
func (env Environment) home() string {
	if home := env.get("HOME"); filepath.IsAbs(home) {
		return home
	}
	return ""
}

// all returns the names of all variables.
func (env Environment) all() (names []string) {
	switch {
	case env.Names != nil:
		return env.Names()
	case env.Lookup != nil:
		return nil
	}
	return VariableNames()
}

// VariableNames returns the names of the variables of this process.
func VariableNames() (names []string) {
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		names = append(names, name)
	}
	return names
}

// expand replaces patterns among the names of variables by the matching names.
func (env Environment) expand(names []string) []string {
	return workflows.ExpandVariables(names, env.all)
}

// ofCommands is the environment of a command: the variables that every command needs, the named
// ones, and those that a file sets, which take precedence.
func (env Environment) ofCommands(names []string, given map[string]string) []string {
	return shell.Environment(slices.AppendSeq(slices.Clone(names), maps.Keys(given)), func(name string) (string, bool) {
		if value, ok := given[name]; ok {
			return value, true
		}
		return env.ofWorkflow(name)
	})
}

// StartFolder is the current folder, where relative paths of a caller start. Its error has a hint.
func StartFolder() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", steps.Invalid("change to a folder that exists", "can't find the path of the current folder: %v", err)
	}
	return dir, nil
}
