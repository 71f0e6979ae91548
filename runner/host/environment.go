package host

import (
	"os"
	"path/filepath"

	"github.com/a-seed-11b9befa/flow/tools/shell"
)

// An Environment is what of its surroundings a program lets workflows have. The
// zero value is that of this process.
type Environment struct {
	// Lookup returns a variable of the environment, and whether it is set: keys,
	// base URLs, what workflows name under env, and PATH and the like of commands.
	// It has to be safe for concurrent use. Nil is [os.LookupEnv].
	Lookup func(name string) (value string, set bool)

	// Version is that of the program, which MCP servers are told. It may be empty.
	Version string
}

// lookup returns a variable, and whether it is set.
func (env Environment) lookup(name string) (string, bool) {
	if env.Lookup == nil {
		return os.LookupEnv(name)
	}
	return env.Lookup(name)
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

// ofCommands is what a command sees of the environment: what every command needs,
// and the variables that are named.
func (env Environment) ofCommands(names []string) []string {
	return shell.Environment(names, env.lookup)
}

// StartFolder is the current folder, where relative paths of a caller start. An
// error says what to do about it.
func StartFolder() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", invalid("change to a folder that exists", "the current folder can't be named: %v", err)
	}
	return dir, nil
}
