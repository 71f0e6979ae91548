// Command flow runs declarative workflows of agents and commands.
//
//	flow validate docs-gen.yaml
//	flow run docs-gen.yaml -i limit=5
//	flow show
//
// Here are flags, wording and exit codes. What a workflow needs to run, and which
// providers and tools there are, is found by package runner/host; what a workflow
// may say, and how it runs, is fixed in the packages below that.
//
// Results go to standard output and nothing else does; standard input is read
// only where a flag says "-". Keys come from the environment, and are masked in
// all that is printed.
//
// Where to look: program.go is the program and what it reaches of the world, command.go
// its commands and the flags that several have, exit.go its exit codes, tell.go what it
// prints, recipes.go how it loads workflows and has recipes confirmed. Each command has a
// file of its own name; a run is in runflags.go and run.go.
package main

import (
	"os"

	"github.com/a-seed-11b9befa/flow/internal/collector"
	"github.com/a-seed-11b9befa/flow/tools/shell"
)

func main() {
	collector.Pace()
	shell.AdoptStrays()
	os.Exit(newProgram().run(os.Args[1:]))
}
