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

// An Environment is what of its surroundings a program lets workflows have. The
// zero value is that of this process.
type Environment struct {
	// Lookup returns a variable of the environment, and whether it is set: keys,
	// base URLs, what workflows name under env, and PATH and the like of commands.
	// It has to be safe for concurrent use. Nil is [os.LookupEnv].
	Lookup func(name string) (value string, set bool)

	// Names returns the names of all variables that Lookup knows: what a workflow
	// names by a pattern, such as GITHUB_*, is among them. Nil is those of this
	// process where Lookup is nil, too, else none.
	Names func() []string

	// Recipe finds the recipe that a reference under uses stands for, before it is
	// read; from is the file that has it, top that of the workflow which is loaded. It
	// reports false for what is no reference. It has to be safe for concurrent use.
	// Nil: there are none.
	Recipe func(top, from, reference string) (recipe Recipe, ok bool, err error)

	// Fetched returns the folder, absolute, of the fetched recipe that has a file, also
	// where links lead there; "" for any other file. Recipes in vendor folders are known
	// without it. Nil: there are no others.
	Fetched func(file string) string

	// Intact returns an error if the fetched recipe that has a file is not what was
	// fetched. Nil: nobody looks.
	Intact func(file string) error

	// Tools are tools in Go, beside the built-in ones. A call of one is denied unless a rule
	// names it. They are shared between runs, and have to be safe for concurrent use.
	Tools []tools.Tool

	// Models are models in Go, which workflows name by the Ref of their Info, such as
	// mine/echo. Each is asked as it is: [providers.Retry] and [providers.Limit] wrap one that
	// needs that. They are shared between runs, and have to be safe for concurrent use.
	Models []providers.Model

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

// fetched is the folder of the fetched recipe that has a file; "" for any other file.
func (env Environment) fetched(file string) string {
	if env.Fetched != nil {
		if root := env.Fetched(file); root != "" {
			return root
		}
	}
	return paths.Vendored(realPath(file))
}

// get is the value of a variable, "" where it is not set.
func (env Environment) get(name string) string {
	value, _ := env.lookup(name)
	return value
}

// home is the folder that ~ stands for, "" where it is not known.
func (env Environment) home() string {
	if home := env.get("HOME"); filepath.IsAbs(home) {
		return home
	}
	return ""
}

// all are the names of the variables that there are.
func (env Environment) all() (names []string) {
	switch {
	case env.Names != nil:
		return env.Names()
	case env.Lookup != nil:
		return nil
	}
	return VariableNames()
}

// VariableNames are the names of the variables of this process.
func VariableNames() (names []string) {
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		names = append(names, name)
	}
	return names
}

// expand replaces patterns among the names of variables by what they stand for.
func (env Environment) expand(names []string) []string {
	return workflows.ExpandVariables(names, env.all)
}

// ofCommands is what a command sees of the environment: what every command needs,
// the variables that are named, and those that a file gives, which go before others.
func (env Environment) ofCommands(names []string, given map[string]string) []string {
	return shell.Environment(slices.AppendSeq(slices.Clone(names), maps.Keys(given)), func(name string) (string, bool) {
		if value, ok := given[name]; ok {
			return value, true
		}
		return env.lookup(name)
	})
}

// StartFolder is the current folder, where relative paths of a caller start. An
// error says what to do about it.
func StartFolder() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", steps.Invalid("change to a folder that exists", "the current folder can't be named: %v", err)
	}
	return dir, nil
}
