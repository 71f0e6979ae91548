package authority

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/workflows"
)

// of is the authority of a workflow that stands in a string.
func of(t *testing.T, text string) Authority {
	t.Helper()
	w, found := workflows.Parse("flow.yaml", []byte("name: x\n"+text), workflows.Options{})
	if w == nil {
		t.Fatal(found)
	}
	return Of(w)
}

// TestCompare has two versions of a workflow, and what an update says of them: each
// line is a difference, and those that end with (may do more) may do more.
func TestCompare(t *testing.T) {
	const steps = "steps: [{id: a, model: p/m, prompt: x, tools: [read, bash]}]\n"
	const reading = "steps: [{id: a, model: p/m, prompt: \"${{ file('docs/x') }}\"}]\n"
	const said = "steps: [{run: \"echo ${{ file('docs/x') }}\"}]\n"
	const providers = "providers: {p: {api: openai-chat, base_url: \"https://p.example\"}}\n"
	for _, tt := range []struct {
		name, old, now string
		wider          bool
		want           string // a part of one line; "" for no difference
	}{
		{"nothing", "steps: [{run: a}]\n", "steps: [{run: a}]\n", false, ""},
		{"a description", steps, "description: y\n" + steps, false, ""},
		{"a command changed", "steps: [{run: a}]\n", "steps: [{run: b}]\n", true, "changed: step \"step-1\" of flow.yaml runs: b"},
		{"a line below the first", "steps: [{run: \"a\\nb\"}]\n", "steps: [{run: \"a\\nc\"}]\n", true, "changed: step \"step-1\" of flow.yaml runs: a (+1 line)"},
		{"a command more", "steps: [{run: a}]\n", "steps: [{run: a}, {run: b}]\n", true, "new: step \"step-2\" of flow.yaml runs"},
		{"a command less", "steps: [{run: a}, {run: b}]\n", "steps: [{run: a}]\n", true, "removed: step \"step-2\" of flow.yaml runs"},
		{"a variable more", "steps: [{run: a}]\n", "env: [B]\nsteps: [{run: a}]\n", true, "new: environment variable: B"},
		{"a variable less", "env: [B]\nsteps: [{run: a}]\n", "steps: [{run: a}]\n", false, "removed: environment variable: B"},
		{"a secret that is none any more", "secrets: [B]\nsteps: [{run: a}]\n", "env: [B]\nsteps: [{run: a}]\n", true, "new: environment variable: B"},
		{"a value for a variable", "steps: [{run: a}]\n", "env: {PATH: ./bin}\nsteps: [{run: a}]\n", true, "new: variable \"PATH\" of flow.yaml is set: PATH=./bin"},
		{"an allow more", "permissions: {bash: {git log: allow}}\n" + steps, "permissions: {bash: {git log: allow, git diff: allow}}\n" + steps, true, "bash: allow git diff"},
		{"an allow less", "permissions: {bash: {git log: allow, git diff: allow}}\n" + steps, "permissions: {bash: {git log: allow}}\n" + steps, false, "changed: step \"a\" of flow.yaml "},
		{"a deny more", "permissions: {bash: {git log: allow}}\n" + steps, "permissions: {bash: {git log: allow, git push: deny}}\n" + steps, false, "changed: step \"a\" of flow.yaml "},
		{"a deny less", "permissions: {bash: {\"*\": allow, git push: deny}}\n" + steps, "permissions: {bash: {\"*\": allow}}\n" + steps, true, "changed: step \"a\" of flow.yaml "},
		{"an ask less", "permissions: {bash: {\"*\": allow, git push: ask}}\n" + steps, "permissions: {bash: {\"*\": allow}}\n" + steps, true, "changed: step \"a\" of flow.yaml "},
		{"the last allow for reading goes, and the rest is open", "permissions: {read: {\"docs/**\": allow, docs/x: deny}}\n" + steps, "permissions: {read: {docs/x: deny}}\n" + steps, true, "changed: step \"a\" of flow.yaml "},
		{"the first rule for reading denies, and the rest is open", steps, "permissions: {read: {docs/x: deny}}\n" + steps, true, "changed: step \"a\" of flow.yaml "},
		{"all rules for reading go", "permissions: {read: {\"docs/**\": allow}}\n" + steps, steps, true, "changed: step \"a\" of flow.yaml "},
		{"all rules for reading go, which asked", "permissions: {read: {\"docs/**\": ask}}\n" + steps, steps, true, "changed: step \"a\" of flow.yaml "},
		{"rules for reading where there were none", steps, "permissions: {read: {\"docs/**\": allow}}\n" + steps, true, "changed: step \"a\" of flow.yaml "},
		{"what expressions may read", "permissions: {read: {\"docs/**\": allow}}\n" + reading, "permissions: {read: {\"**\": allow}}\n" + reading, true, "read: allow **"},
		{"what expressions of a command may read", "permissions: {read: {\"docs/**\": allow}}\n" + said, said, true, " of flow.yaml "},
		{"a tool more", steps, "steps: [{id: a, model: p/m, prompt: x, tools: [read, bash, write]}]\n", true, "changed: step \"a\" of flow.yaml "},
		{"a tool less", steps, "steps: [{id: a, model: p/m, prompt: x, tools: [read]}]\n", false, "changed: step \"a\" of flow.yaml "},
		{"another model", steps, "steps: [{id: a, model: p/n, prompt: x, tools: [read, bash]}]\n", true, "new: model: p/n"},
		{"no sandbox", steps, "sandbox: off\n" + steps, true, "changed: flow.yaml sets "},
		{"no network any more", steps, "sandbox: {network: none}\n" + steps, true, "changed: flow.yaml sets "},
		{"a budget that goes", "budget: {cost_usd: 1}\n" + steps, steps, true, "no budget"},
		{"a price that hides the cost", steps, "prices: {p/m: {input: 0, output: 0}}\n" + steps, true, "p/m: 0 in, 0 out"},
		{"what a cached token costs", "prices: {p/m: {input: 1, output: 1}}\n" + steps, "prices: {p/m: {input: 1, output: 1, cached_input: 0}}\n" + steps, true, "flow.yaml prices (may do more)"},
		{"how often a tool is called", strings.Replace(steps, "bash]", "{name: bash, max_calls: 1}]", 1), steps, true, "changed: step \"a\" of flow.yaml has the tools bash, read;"},
		{"a file of the workspace", steps, strings.Replace(steps, "prompt: x", "prompt: \"${{ file('.env') }}\"", 1), true, "reads: file('.env')"},
		{"a value in a prompt", "env: [A]\n" + steps, "env: [A]\n" + strings.Replace(steps, "prompt: x", "prompt: \"${{ env.A }}\"", 1), true, "parts of the files: flow.yaml prompts (may do more)"},
		{"another value in the system prompt of all steps", "env: [A, B]\nsystem: Of ${{ env.A }}.\n" + steps, "env: [A, B]\nsystem: Of ${{ env.B }}.\n" + steps, true, "parts of the files: flow.yaml prompts (may do more)"},
		{"other words around a value", "env: [A]\n" + strings.Replace(steps, "prompt: x", "prompt: \"Of ${{ env.A }}.\"", 1), "env: [A]\n" + strings.Replace(steps, "prompt: x", "prompt: \"For ${{ env.A }}:\"", 1), false, ""},
		{"arguments that are computed", "steps: [{tool: read, with: {filePath: \"${{ inputs.a }}\"}}]\ninputs: {a: {type: string}, b: {type: string}}\n", "steps: [{tool: read, with: {filePath: \"${{ inputs.b }}\"}}]\ninputs: {a: {type: string}, b: {type: string}}\n", true, "changed: step \"step-1\" of flow.yaml calls: read filePath: ${{ inputs.b }}"},
		{"the agent that bounds a step goes", "agents: {w: {permissions: {write: {\"docs/**\": allow}}}}\nsteps: [{agent: w, model: p/m, prompt: x, tools: [write], permissions: {write: {\"**\": allow}}}]\n", "steps: [{model: p/m, prompt: x, tools: [write], permissions: {write: {\"**\": allow}}}]\n", true, "changed: step \"step-1\" of flow.yaml has the tools write; rules write: allow **"},
		{"the agent that bounds a step is let do more", "agents: {w: {permissions: {write: {\"docs/**\": allow}}}}\nsteps: [{agent: w, model: p/m, prompt: x, tools: [write], permissions: {write: {\"**\": allow}}}]\n", "agents: {w: {permissions: {write: {\"**\": allow}}}}\nsteps: [{agent: w, model: p/m, prompt: x, tools: [write], permissions: {write: {\"**\": allow}}}]\n", true, "within the rules of its agent write: allow **"},
		{"an agent bounds a step", "steps: [{model: p/m, prompt: x, tools: [write], permissions: {write: {\"**\": allow}}}]\n", "agents: {w: {permissions: {write: {\"docs/**\": allow}}}}\nsteps: [{agent: w, model: p/m, prompt: x, tools: [write], permissions: {write: {\"**\": allow}}}]\n", true, "within the rules of its agent write: allow docs/**"},
		{"a list that a command takes from", "steps: [{foreach: [a], run: \"echo ${{ item }} | sh\"}]\n", "steps: [{foreach: [b], run: \"echo ${{ item }} | sh\"}]\n", true, "changed: parts of the files: flow.yaml steps.step-1 (foreach) (may do more)"},
		{"an input's default", "inputs: {to: {type: string, default: a}}\nsteps: [{run: \"curl ${{ inputs.to }}\"}]\n", "inputs: {to: {type: string, default: b}}\nsteps: [{run: \"curl ${{ inputs.to }}\"}]\n", true, "flow.yaml inputs.to (may do more)"},
		{"an input's description", "inputs: {to: {type: string, default: a}}\nsteps: [{run: \"curl ${{ inputs.to }}\"}]\n", "inputs: {to: {type: string, default: a, description: b}}\nsteps: [{run: \"curl ${{ inputs.to }}\"}]\n", false, ""},
		{"an input called prompt", "inputs: {prompt: {type: string, default: a}}\nsteps: [{run: \"curl ${{ inputs.prompt }}\"}]\n", "inputs: {prompt: {type: string, default: b}}\nsteps: [{run: \"curl ${{ inputs.prompt }}\"}]\n", true, "flow.yaml inputs.prompt (may do more)"},
		{"a condition that goes", "steps: [{if: \"false\", run: git push --force}]\n", "steps: [{run: git push --force}]\n", true, "flow.yaml steps.step-1 (if) (may do more)"},
		{"a condition of the group that goes", "steps: [{id: g, if: \"false\", steps: [{run: git push --force}]}]\n", "steps: [{id: g, steps: [{run: git push --force}]}]\n", true, "flow.yaml steps.g (if) (may do more)"},
		{"the default of an answer", "steps: [{id: q, ask: x, default: a}, {run: \"${{ steps.q.output }}\"}]\n", "steps: [{id: q, ask: x, default: b}, {run: \"${{ steps.q.output }}\"}]\n", true, "flow.yaml steps.q (default) (may do more)"},
		{"the choices of an answer", "steps: [{id: q, ask: x, choices: [a, b]}, {run: \"${{ steps.q.output }}\"}]\n", "steps: [{id: q, ask: x, choices: [a, c]}, {run: \"${{ steps.q.output }}\"}]\n", true, "flow.yaml steps.q (choices) (may do more)"},
		{"the guard before a command goes", "steps: [{run: test -f ok}, {id: b, run: git push}]\n", "steps: [{id: b, run: git push}]\n", true, "steps.step-1 (removed)"},
		{"the guard at the end of a round goes", "steps: [{id: g, foreach: [a, b], steps: [{run: git push}, {run: test -f ok}]}]\n", "steps: [{id: g, foreach: [a, b], steps: [{run: git push}]}]\n", true, "steps.g/step-2 (removed)"},
		{"steps in another order", "steps: [{id: a, run: test -f ok}, {id: b, run: git push}]\n", "steps: [{id: b, run: git push}, {id: a, run: test -f ok}]\n", true, "the order of its steps (may do more)"},
		{"a prompt and a comment beside a command", "steps: [{run: a}, {model: p/m, prompt: x, system: a}]\n", "# b\nsteps: [{run: a}, {model: p/m, prompt: y, system: b}]\n", false, ""},
		{"a deny more beside a command", "permissions: {bash: {git log: allow}}\nsteps: [{run: a}, {model: p/m, prompt: x, tools: [bash]}]\n", "permissions: {bash: {git log: allow, git push: deny}}\nsteps: [{run: a}, {model: p/m, prompt: x, tools: [bash]}]\n", false, " of flow.yaml "},
		{"a question", steps, strings.TrimSuffix(steps, "]\n") + ", {id: q, ask: \"Paste a token:\"}]\n", true, "new: step \"q\" of flow.yaml asks a person: Paste a token:"},
		{"another question", "steps: [{id: q, ask: a}]\n", "steps: [{id: q, ask: b}]\n", true, "changed: step \"q\" of flow.yaml asks a person: b"},
		{"a comment before a command", "steps: [{run: a}]\n", "steps: [{run: \"# fine\\n\\necho       ok;      curl x\\nb\\nc\"}]\n", true, "runs: echo ok; curl x (+2 lines)"},
		{"a line within quotes that looks like a comment", "steps: [{run: a}]\n", "steps: [{run: \"echo 'notes\\n # of'; id\"}]\n", true, "runs: echo 'notes (+1 line) ["},
		{"a script that a here-document hides in comments", "steps: [{run: a}]\n", "steps: [{run: \"# fine\\nsed 's/^#//' <<'X' | sh\\n#id\\nX\"}]\n", true, "runs: sed 's/^#//' <<'X' | sh (+2 lines) ["},
		{"a comment behind a blank that is none to a shell", "steps: [{run: a}]\n", "steps: [{run: \"\\u00a0#; id\\nb\"}]\n", true, "runs: \\u00a0#; id (+1 line) ["},
		{"comments alone", "steps: [{run: a}]\n", "steps: [{run: \"# b\\n# c\"}]\n", true, "runs: # b (+1 line) ["},
		{"a value that begins with a line break", "steps: [{run: a}]\n", "env: {B: \"\\n# id\"}\nsteps: [{run: a}]\n", true, "variable \"B\" of flow.yaml is set: B= (+1 line) ["},
		{"a tool whose lines look like comments", "steps: [{run: a}]\n", "custom_tools: {t: {description: d, run: \"echo ok\\\\\\n#;\\\\\\n#x\"}}\nsteps: [{run: a}]\n", true, "echo ok\\ (+2 lines) ["},
		{"a check", "steps: [{model: p/m, prompt: x}]\n", "steps: [{model: p/m, prompt: x, checks: [{run: \"test 'a\\n#'; id\"}]}]\n", true, "check 1 of step \"step-1\" of flow.yaml runs: test 'a (+1 line) ["},
		{"a question that looks like a heading", steps, strings.TrimSuffix(steps, "]\n") + ", {id: q, ask: \"# Paste a token\\nThanks.\"}]\n", true, "asks a person: # Paste a token (+1 line) ["},
		{"a header for a service", providers + steps, strings.Replace(providers, "}}", ", headers: {Authorization: Bearer x}}}", 1) + steps, true, "changed: flow.yaml sets no budget; services: p: openai-chat https://p.example headers Authorization ["},
		{"another value of a header", strings.Replace(providers, "}}", ", headers: {Authorization: Bearer x}}}", 1) + steps, strings.Replace(providers, "}}", ", headers: {Authorization: Bearer y}}}", 1) + steps, true, "changed: flow.yaml sets "},
		{"a field of a service's requests", providers + steps, strings.Replace(providers, "}}", ", body: {store: true}}}", 1) + steps, true, `services: p: openai-chat https://p.example body {"store":true} [`},
		{"letters that look blank", "steps: [{run: a}]\n", "steps: [{run: \"ok\u2800\u3164x\"}]\n", true, "runs: ok\\u2800\\u3164x"},
		{"the folder of a command", "steps: [{run: make}]\n", "steps: [{id: g, workspace: vendor, steps: [{run: make, workspace: x}]}]\n", true, "make (in vendor/x)"},
		{"another workspace", steps, "workspace: sub\n" + steps, true, "workspace: sub"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all := Compare(of(t, tt.old), of(t, tt.now))
			var lines []string
			for _, d := range all {
				lines = append(lines, d.String())
			}
			text := strings.Join(lines, "\n")
			if Wider(all) != tt.wider || !strings.Contains(text, tt.want) || tt.want == "" && text != "" {
				t.Errorf("wider %v, want %v, and %q:\n%s", Wider(all), tt.wider, tt.want, text)
			}
		})
	}
}

// TestUnion has two older versions of a workflow, and what a third says of both together.
func TestUnion(t *testing.T) {
	const steps = "steps: [{id: a, model: p/m, prompt: x, tools: [bash]}]\n"
	rules := func(allowed string) string { return "permissions: {bash: {" + allowed + "}}\n" + steps }
	for _, tt := range []struct {
		name, one, two, now string
		wider               bool
		want                string
	}{
		{"the variables of both", "env: [A]\n" + steps, "env: [B]\n" + steps, "env: [A, B]\n" + steps, false, ""},
		{"one of them goes", "env: [A]\n" + steps, "env: [A, B]\n" + steps, "env: [B]\n" + steps, false, "removed: environment variable: A"},
		{"one that neither has", "env: [A]\n" + steps, "env: [B]\n" + steps, "env: [C]\n" + steps, true, "removed: environment variable: A\nremoved: environment variable: B\nnew: environment variable: C (may do more)"},
		{"the rules of the first", rules("git log: allow"), rules("git diff: allow"), rules("git log: allow"), false, ""},
		{"less than the second", rules("git log: allow"), rules("git log: allow, git diff: allow, git show: allow"), rules("git diff: allow"), false, "changed: step \"a\" of flow.yaml has the tools bash; rules bash: allow git diff"},
		{"more than each", rules("git log: allow"), rules("git diff: allow"), rules("git show: allow"), true, "(may do more)"},
		{"the command of the second", "steps: [{run: a}]\n", "steps: [{run: b}]\n", "steps: [{run: b}]\n", false, ""},
		{"a guard that both had", "steps: [{run: test -f ok}, {id: b, run: c}]\n", "steps: [{run: test -f ok}, {id: b, run: d}]\n", "steps: [{id: b, run: c}]\n", true, "steps.step-1 (removed)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all := Compare(Union(of(t, tt.one), of(t, tt.two)), of(t, tt.now))
			var lines []string
			for _, d := range all {
				lines = append(lines, d.String())
			}
			text := strings.Join(lines, "\n")
			if Wider(all) != tt.wider || !strings.Contains(text, tt.want) || tt.want == "" && text != "" {
				t.Errorf("wider %v, want %v, and %q:\n%s", Wider(all), tt.wider, tt.want, text)
			}
		})
	}
}

// TestCompareWas: of what has changed at a place it is said what was there.
func TestCompareWas(t *testing.T) {
	for _, tt := range []struct{ old, now, was string }{
		{"steps: [{run: a}]\n", "steps: [{run: b}]\n", "a [ca978112ca1b]"},
		{"steps: [{id: q, ask: \"Go?\\n\\e[2J\"}]\n", "steps: [{id: q, ask: Stay?}]\n", "Go? (+1 line) ["},
		{"steps: [{model: p/m, prompt: x, tools: [read], permissions: {read: {\"docs/**\": allow}}}]\n", "steps: [{model: p/m, prompt: x, tools: [read, bash]}]\n", "has the tools read; rules read: allow docs/**; stops after 50 turns"},
		{"workspace: sub\nsteps: [{run: a}]\n", "steps: [{run: a}]\n", "workspace: sub; no budget"},
	} {
		all := Compare(of(t, tt.old), of(t, tt.now))
		if !slices.ContainsFunc(all, func(d Difference) bool { return d.Sign == "~" && strings.HasPrefix(d.Was, tt.was) }) {
			t.Errorf("%q does not say that it was %q: %+v", tt.now, tt.was, all)
		}
	}
}

// TestCompareGuards: without a command, too, what decides what is done is compared: each of
// these is wider where it goes, and where it comes. What is only said is not.
func TestCompareGuards(t *testing.T) {
	const step = "id: a, model: p/m, prompt: x, tools: [write]"
	workflow := func(top, more string) Authority {
		return of(t, top+"steps: [{id: q, ask: ok, choices: [y, n]}, {"+step+more+"}]\n")
	}
	for _, tt := range []struct {
		top, more string
		wider     bool
	}{
		{"", ", if: steps.q.output == \"y\"", true},
		{"", ", needs: []", true},
		{"", ", foreach: [1, 2]", true},
		{"", ", timeout: 1m", true},
		{"", ", checks: [{expr: \"false\"}]", true},
		{"", ", on_denied: fail", true},
		{"", ", on_error: continue", true},
		{"", ", once: true", true},
		{"", ", stop: {max_turns: 1}", true},
		{"outputs: {o: \"${{ steps.a.output }}\"}\n", "", true},
		{"description: d\n", "", false},
		{"", ", system: s", false},
		{"# c\n", "", false},
	} {
		without, with := workflow("", ""), workflow(tt.top, tt.more)
		if Wider(Compare(without, with)) != tt.wider || Wider(Compare(with, without)) != tt.wider {
			t.Errorf("%s%s: it has to be wider: %v: %v", tt.top, tt.more, tt.wider, Compare(with, without))
		}
	}
	for _, pair := range [][2]string{
		{"inputs: {to: {type: string, default: a}}\n", "inputs: {to: {type: string, default: b}}\n"},
		{"providers: {s: {api: openai-chat, base_url: \"https://x.example\"}}\n", "providers: {s: {api: openai-chat, base_url: \"https://x.example\", headers: {Authorization: Bearer sk}}}\n"},
		{"providers: {s: {api: openai-chat, base_url: \"https://x.example\"}}\n", "providers: {s: {api: openai-chat, base_url: \"https://x.example\", body: {store: true}}}\n"},
	} {
		if all := Compare(workflow(pair[0], ""), workflow(pair[1], "")); !Wider(all) {
			t.Errorf("%s: %v", pair[1], all)
		}
	}
	const label = "foreach: [1], label: "
	if all := Compare(of(t, "steps: [{"+step+", "+label+"a}]\n"), of(t, "steps: [{"+step+", "+label+"b}]\n")); len(all) > 0 {
		t.Error(all)
	}
}

// TestCompareUsed: the rules over a used workflow are its bounds, so that letting them
// do more is wider though nothing of it changed.
func TestCompareUsed(t *testing.T) {
	const inner = "name: i\nsteps: [{model: p/m, prompt: x, tools: [write], permissions: {write: {\"**\": allow}}}]\n"
	used := func(outer string) Authority {
		w, found := workflows.Load("flow.yaml", workflows.Options{ReadFile: func(path string) ([]byte, error) {
			return []byte(map[string]string{"flow.yaml": "name: o\n" + outer, "inner.yaml": inner, "c.yaml": "name: c\ninputs: {to: {type: string}}\nsteps: [{run: \"curl ${{ inputs.to }}\"}]\n"}[path]), nil
		}})
		if w == nil {
			t.Fatal(found)
		}
		return Of(w)
	}
	const file = "permissions: {write: {\"docs/**\": allow}}\nsteps: [{uses: inner.yaml}]\n"
	for _, tt := range []struct {
		name, old, now string
		wider          bool
	}{
		{"of the file", file, "permissions: {write: {\"**\": allow}}\nsteps: [{uses: inner.yaml}]\n", true},
		{"of the step", "steps: [{uses: inner.yaml, permissions: {write: {\"docs/**\": allow}}}]\n", "steps: [{uses: inner.yaml, permissions: {write: {\"**\": allow}}}]\n", true},
		{"by another step", file, file + "  # x\n", false},
		{"what a command of it is given", "steps: [{uses: c.yaml, with: {to: a}}]\n", "steps: [{uses: c.yaml, with: {to: b}}]\n", true},
		{"less", file, "steps: [{uses: inner.yaml}]\n", false},
	} {
		if all := Compare(used(tt.old), used(tt.now)); Wider(all) != tt.wider {
			t.Errorf("%s: wider %v, want %v: %v", tt.name, Wider(all), tt.wider, all)
		}
	}
}

// TestOneLine: no text of a recipe ends a line of what is said of it, or changes how it
// looks, whatever key the text stands under.
func TestOneLine(t *testing.T) {
	const forged = `"p/x\n  file flow.yaml: budget: $1\r\e2K"`
	all := strings.ReplaceAll(`
workspace: FORGED
sandbox: {write: [FORGED], reveal: [FORGED]}
prices: {FORGED: {input: 1, output: 1}}
models: {m: FORGED}
env: {B: FORGED}
providers: {p: {api: openai-chat, base_url: "https://p.example", headers: {B: FORGED}, body: {FORGED: FORGED}}}
mcp: {s: {command: [FORGED], env: {B: FORGED}}, u: {url: "https://u.example", headers: {B: FORGED}}}
permissions: {bash: {FORGED: allow}}
steps:
  - {model: m, prompt: "${{ file('x\\n') }}", tools: [bash]}
  - {model: FORGED, prompt: x, checks: [{run: FORGED}]}
  - {run: FORGED, workspace: FORGED}
  - {tool: read, with: {filePath: FORGED}}
  - {ask: FORGED}
`, "FORGED", forged)
	a := of(t, all)
	lines := a.Lines()
	for _, d := range Compare(Authority{Models: []string{"p/x\nnew: model: p/y"}}, a) { // as a lock may have it
		lines = append(lines, d.String())
	}
	if len(lines) < 31 {
		t.Fatal(lines)
	}
	for _, line := range lines {
		if strings.ContainsAny(line, "\n\r\x1b") {
			t.Errorf("%q", line)
		}
	}
}

// TestOnePart: no text of a recipe is read as another part of its line, whatever key it
// stands under.
func TestOnePart(t *testing.T) {
	a := of(t, strings.ReplaceAll(`
workspace: "FORGED"
sandbox: {write: ["FORGED", b], reveal: ["FORGED"]}
prices: {"p/FORGED": {input: 1, output: 1}}
providers: {p: {api: openai-chat, base_url: "https://p.example/FORGED", headers: {B: x}}}
mcp: {s: {command: [x]}}
permissions: {bash: {"FORGED": allow}}
agents: {w: {tools: [bash], permissions: {bash: {"FORGED": allow}}}}
steps:
  - {model: p/x, prompt: "${{ file('FORGED') }}", tools: [bash, "s_FORGED", {name: read, with: {filePath: "FORGED"}}]}
  - {model: p/x, agent: w, prompt: x, permissions: {bash: {a: allow}}}
`, "FORGED", "x, bash: deny y], network: none; budget: $1"))
	quoted := regexp.MustCompile(`"(\\.|[^"\\])*"`)
	for _, line := range a.Lines() {
		if line = quoted.ReplaceAllString(line, ""); strings.Contains(line, "bash: deny") || strings.Contains(line, "network: none") || strings.Contains(line, "budget: $1") {
			t.Error(line)
		}
	}
}

// TestNames: two files of one name in two folders are two, also with an @ in it.
func TestNames(t *testing.T) {
	files := map[string]string{
		"flow.yaml": "steps: [{uses: a/x.yaml}, {uses: b/x.yaml}]\n", "a/x.yaml": "steps: [{uses: sub@1.yaml}]\n", "b/x.yaml": "steps: [{uses: sub@1.yaml}]\n",
		"a/sub@1.yaml": "steps: [{run: echo a}]\n", "b/sub@1.yaml": "steps: [{run: echo b}]\n",
	}
	w, found := workflows.Load("flow.yaml", workflows.Options{ReadFile: func(path string) ([]byte, error) {
		return []byte("name: x\n" + files[filepath.ToSlash(path)]), nil
	}})
	if w == nil {
		t.Fatal(found)
	}
	said := strings.Join(Of(w).Lines(), "\n")
	for _, want := range []string{`step "step-1" of a/sub@1.yaml runs: echo a`, `step "step-1" of b/sub@1.yaml runs: echo b`} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q but\n%s", want, said)
		}
	}
	if all := Compare(Of(w), Of(w)); len(all) > 0 {
		t.Errorf("it is not as it was: %v", all)
	}
}

// TestCompareDigest: two commands with one first line and digests that begin alike are
// two commands. Whoever writes both can find such a pair.
func TestCompareDigest(t *testing.T) {
	old := Authority{Commands: []Command{{At: "a", Kind: "run", Line: "make …", SHA256: strings.Repeat("a", 64)}}}
	now := Authority{Commands: []Command{{At: "a", Kind: "run", Line: "make …", SHA256: strings.Repeat("a", 63) + "b"}}}
	if all := Compare(old, now); !Wider(all) {
		t.Errorf("%v", all)
	}
}

// TestHostile has recipes that look harmless. Nothing that one of them can do is
// missing from what is said of it: each line that a file's comments name is there.
func TestHostile(t *testing.T) {
	files, err := filepath.Glob("testdata/hostile/*.yaml")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			w, found := workflows.Load(file, workflows.Options{ReadFile: os.ReadFile})
			if w == nil {
				t.Fatal(found)
			}
			said := strings.Join(Of(w).Lines(), "\n")
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			wanted := 0
			for line := range strings.Lines(string(data)) {
				want, is := strings.CutPrefix(line, "# says: ")
				if !is {
					continue
				}
				wanted++
				if !strings.Contains(said, strings.TrimSpace(want)) {
					t.Errorf("it does not say %q but\n%s", strings.TrimSpace(want), said)
				}
			}
			if wanted == 0 {
				t.Error("the file names nothing that is to be said")
			}
		})
	}
}
