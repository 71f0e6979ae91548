package main

import (
	"fmt"
	"os/exec"
	"strings"
)

// A bout is one piece of work, done by flow and by the floor.
type bout struct {
	name  string
	flow  []string // arguments; a file of files among them is found in the folder
	floor []string // a program that does the same, with its arguments; none: there is no floor
	times int      // so many processes, at most 8 at once; 1 when 0
	bulky bool     // it writes much
	files map[string]string
	base  string // the case whose memory this one is compared with, instead of the floor's

	// Targets; 0 is none.
	wall, cpu float64 // ratios
	seconds   float64
	megabytes float64
}

// floor is the program of that name, with its arguments.
func floor(kind, what string, number, parallel int) []string {
	return []string{"floor", kind, what, fmt.Sprint(number), fmt.Sprint(parallel)}
}

// withoutTargets is for a work of another size.
func (c bout) withoutTargets() bout {
	c.wall, c.cpu, c.seconds, c.megabytes = 0, 0, 0, 0
	return c
}

// sizes say how large the works are: their counts are divided by shrink, for a
// quick look in which no target means anything.
type sizes struct{ shrink int }

func (s sizes) of(n int) int { return max(n/max(s.shrink, 1), min(n, 2)) }

// cases are the works that are measured. A target is a ratio to the floor, or
// absolute where there is none.
func cases(tree string, s sizes) []bout {
	return []bout{
		{name: "version", flow: []string{"version"}, floor: []string{"empty"}, seconds: 0.010},
		agent("one turn, no tools", "text", 1, 1, 3),
		agent("ten turns, a read each", "read", s.of(10), 1, 3),
		sleeps(s.of(10)),
		output("a command printing 27 MB", int64(s.of(27<<20))),
		output("a command printing 2 GB", int64(s.of(2<<30))),
		{
			name: "20 processes of one turn, 8 at once", times: s.of(20), wall: 3.5, cpu: 3.5,
			flow: []string{"run", "--output", "none", "flow.yaml"}, floor: floor("chat", "text-1", 1, 1),
			files: workflow("text-1", "", prompt("")),
		},
		agent("20 elements of one turn, 8 at once", "text", 1, s.of(20), 3),
		agents(s.of(10), s.of(200)),
		elements(s.of(1_000)), manyElements(s.of(10_000), s.of(1_000)), keptElements(s.of(10_000)),
		commands(s.of(100), false), commands(s.of(100), true),
		commands(s.of(1_000), false), commands(s.of(1_000), true),
		{name: "validate 1,000 steps", flow: []string{"validate", "flow.yaml"}, files: steps(s.of(1_000)), seconds: 0.100},
		{name: "validate 2,000 steps", flow: []string{"validate", "flow.yaml"}, files: steps(s.of(2_000))},
		search("grep", tree, `func \\w+Retry\\w*\\(`),
		search("grep, ignoring case", tree, `(?i)deprecated`),
		agent("50 turns", "read", s.of(50), 1, 3),
		agent("200 turns", "read", s.of(200), 1, 3),
	}
}

// sleeps are turns that wait: what counts is that nothing else is waited for.
func sleeps(turns int) bout {
	model := fmt.Sprintf("sleep-%d", turns)
	return bout{
		name: "ten turns, four commands at once", seconds: 1.10, wall: 1.05,
		flow: []string{"run", "--output", "none", "flow.yaml"}, floor: floor("chat", model, 1, 1),
		files: workflow(model, "tools: [bash]\npermissions: {bash: {\"sleep *\": allow}}\n", prompt("")),
	}
}

// agent is so many conversations of so many turns.
func agent(name, kind string, turns, elements int, ratio float64) bout {
	model := fmt.Sprintf("%s-%d", kind, turns)
	parallel := min(elements, 64)
	if elements == 20 {
		parallel = 8
	}
	foreach := ""
	if elements > 1 {
		foreach = fmt.Sprintf("    foreach: ${{ 1..%d }}\n    max_parallel: %d\n", elements, parallel)
	}
	c := bout{
		name: name, wall: ratio, cpu: ratio,
		flow:  []string{"run", "--output", "none", "flow.yaml"},
		floor: floor("chat", model, elements, parallel),
		files: workflow(model, "tools: [read]\nstop: {max_turns: 1000}\n", prompt(foreach)),
	}
	return c
}

// agents are conversations side by side, of which the processor's time counts.
func agents(turns, elements int) bout {
	c := agent("200 agents of ten turns, 64 at once", "read", turns, elements, 2.5)
	c.wall, c.megabytes = 0, 150
	return c
}

// elements is a long foreach.
func elements(n int) bout {
	c := agent(fmt.Sprintf("%d elements of one turn", n), "text", 1, n, 2.5)
	c.wall = 0
	return c
}

// manyElements is a foreach of which what flow holds at its end is compared with
// what it holds after so many.
func manyElements(n, after int) bout {
	c := elements(n)
	c.base, c.megabytes = elements(after).name, 1.5
	return c
}

// keptElements shows how much of a long foreach is what its files cost: the floor
// keeps each conversation and its end, too.
func keptElements(n int) bout {
	c := elements(n).withoutTargets()
	c.name += ", kept in files"
	c.floor[1] = "keep"
	return c
}

// output is a command of a model that prints so many bytes.
func output(name string, size int64) bout {
	files := workflow("print-2", "tools: [bash]\npermissions: {bash: {\"sh print.sh\": allow}}\n", prompt(""))
	files["print.sh"] = fmt.Sprintf("head -c %d /dev/zero | tr '\\0' 'x' | fold -w 99\n", size)
	return bout{
		name: name, wall: 1.5, megabytes: 64, bulky: true,
		flow: []string{"run", "--output", "none", "flow.yaml"}, floor: floor("chat", "print-2", 1, 1),
		files: files,
	}
}

// commands are steps that run one each.
func commands(n int, parallel bool) bout {
	name, needs := fmt.Sprintf("%d commands in sequence", n), ""
	if parallel {
		name, needs = fmt.Sprintf("%d commands at once", n), ", needs: []"
	}
	var b strings.Builder
	b.WriteString("name: commands\nsteps:\n")
	for range n {
		fmt.Fprintf(&b, "  - {run: \"true\"%s}\n", needs)
	}
	at := 1
	if parallel {
		at = 64
	}
	return bout{
		name: name, wall: 1.5,
		flow: []string{"run", "--output", "none", "flow.yaml"}, floor: floor("bash", "true", n, at),
		files: map[string]string{"flow.yaml": b.String()},
	}
}

// steps are a long file of agents that refer to each other.
func steps(n int) map[string]string {
	var b strings.Builder
	b.WriteString("name: long\nmodel: openai-chat/text-1\ntools: [read, grep]\nsteps:\n")
	for i := range n {
		fmt.Fprintf(&b, "  - id: s%d\n    prompt: Step %d of ${{ workflow.name }}", i, i)
		if i > 0 {
			fmt.Fprintf(&b, " after ${{ steps.s%d.output.word }}", i-1)
		}
		b.WriteString(".\n    output: {type: object, properties: {word: {type: string}}, required: [word]}\n")
	}
	return map[string]string{"flow.yaml": b.String()}
}

// search is one call of grep over a large tree, beside ripgrep where that is installed.
func search(name, tree, pattern string) bout {
	c := bout{
		name: name, wall: 1.5,
		flow:  []string{"run", "--output", "none", "--workspace", tree, "flow.yaml"},
		files: map[string]string{"flow.yaml": "name: search\nsteps:\n  - {tool: grep, with: {pattern: \"" + pattern + "\"}}\n"},
	}
	if _, err := exec.LookPath("rg"); err == nil {
		c.floor = []string{"rg", "--no-config", strings.ReplaceAll(pattern, `\\`, `\`), tree}
	}
	return c
}

func prompt(more string) string { return "steps:\n  - id: only\n    prompt: Go.\n" + more }

// workflow is a file whose model is the service's, and one that it can read.
func workflow(model, head, steps string) map[string]string {
	return map[string]string{
		"flow.yaml": "name: bench\nmodel: openai-chat/" + model + "\n" + head + steps,
		"data.txt":  strings.Repeat("A line of a file that is read again and again.\n", 40),
	}
}
