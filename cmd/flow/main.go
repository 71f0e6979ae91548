// Command flow runs declarative workflows of agents and commands.
//
//	flow validate docs-gen.yaml
//	flow run docs-gen.yaml -i limit=5
//	flow show
//
// This package has flags, wording and exit codes. Package runner/host has the providers and
// tools, and runs workflows; the packages below it define what a workflow may say.
//
// Only results go to standard output; standard input is read only if a flag is "-". Keys
// come from the environment, and are masked in everything that is printed.
//
// program.go is the program with its access to the world, command.go its commands and the
// flags that several share, exit.go its exit codes, recipes.go loads workflows and has recipes
// confirmed. A command is in the file of its name, and its description in help.txtar; version is in command.go.
package main

import (
	"os"

	"github.com/a-seed-11b9befa/flow/tools/shell"
)

func main() {
	shell.ReapOrphans()
	os.Exit(newProgram(os.Stdin, os.Stdout, os.Stderr, os.LookupEnv).run(os.Args[1:]))
}
