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
//
// Where to look: program.go is the program and what it reaches of the world,
// command.go its commands, exit.go its exit codes.
//
//	a file and its mistakes       load, sources, inputs, validate, preflight, diagnostics
//	one run, from flags to result run, session, equip, dryrun, signals, record
//	models                        registry, services, keys, prices, models, checkup
//	tools                         toolbox, commands, builtin, webfetch, servers, mcp
//	what may be touched           guard, policies, sandbox, rulecheck, explain, ask, person
//	what is told meanwhile        progress, plain lines by narrator, live by tally
//	what is told at the end       result, report, show, eventsfile, log
package main

import (
	"os"

	"github.com/a-seed-11b9befa/flow/tools/shell"
)

func main() {
	p := newProgram()
	p.paceCollector()
	shell.AdoptStrays()
	os.Exit(p.run(os.Args[1:]))
}
