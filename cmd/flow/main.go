// Command flow runs declarative workflows of agents and commands.
//
//	flow validate docs-gen.yaml
//	flow run docs-gen.yaml -i limit=5
//	flow show
//
// It is the one package that knows which providers and tools there are. What a
// workflow may say, and what each command prints, writes and exits with, is
// fixed elsewhere: here are flags, rendering, exit codes, and the wiring of the
// packages that do the work.
//
// Results go to standard output and nothing else does; standard input is read
// only where a flag says "-". Keys come from the environment, and are masked in
// all that is printed.
package main

import "os"

func main() {
	paceCollector()
	os.Exit(newProgram().run(os.Args[1:]))
}
