package authority

import (
	"os"
	"path/filepath"
	"regexp"
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
		{"a command changed", "steps: [{run: a}]\n", "steps: [{run: b}]\n", true, "new: step \"step-1\" of flow.yaml runs: b"},
		{"a line below the first", "steps: [{run: \"a\\nb\"}]\n", "steps: [{run: \"a\\nc\"}]\n", true, "new: step \"step-1\" of flow.yaml runs: a (+1 line)"},
		{"a command more", "steps: [{run: a}]\n", "steps: [{run: a}, {run: b}]\n", true, "new: step \"step-2\" of flow.yaml runs"},
		{"a command less", "steps: [{run: a}, {run: b}]\n", "steps: [{run: a}]\n", false, "removed: step \"step-2\" of flow.yaml runs"},
		{"a variable more", "steps: [{run: a}]\n", "env: [B]\nsteps: [{run: a}]\n", true, "new: environment variable: B"},
		{"a variable less", "env: [B]\nsteps: [{run: a}]\n", "steps: [{run: a}]\n", false, "removed: environment variable: B"},
		{"a secret that is none any more", "secrets: [B]\nsteps: [{run: a}]\n", "env: [B]\nsteps: [{run: a}]\n", true, "new: environment variable: B"},
		{"a value for a variable", "steps: [{run: a}]\n", "env: {PATH: ./bin}\nsteps: [{run: a}]\n", true, "new: variable \"PATH\" of flow.yaml is set: PATH=./bin"},
		{"an allow more", "permissions: {bash: {git log: allow}}\n" + steps, "permissions: {bash: {git log: allow, git diff: allow}}\n" + steps, true, "bash: allow git diff"},
		{"an allow less", "permissions: {bash: {git log: allow, git diff: allow}}\n" + steps, "permissions: {bash: {git log: allow}}\n" + steps, true, "new: step \"a\" of flow.yaml "},
		{"a deny more", "permissions: {bash: {git log: allow}}\n" + steps, "permissions: {bash: {git log: allow, git push: deny}}\n" + steps, true, "new: step \"a\" of flow.yaml "},
		{"a deny less", "permissions: {bash: {\"*\": allow, git push: deny}}\n" + steps, "permissions: {bash: {\"*\": allow}}\n" + steps, true, "new: step \"a\" of flow.yaml "},
		{"an ask less", "permissions: {bash: {\"*\": allow, git push: ask}}\n" + steps, "permissions: {bash: {\"*\": allow}}\n" + steps, true, "new: step \"a\" of flow.yaml "},
		{"the last allow for reading goes, and the rest is open", "permissions: {read: {\"docs/**\": allow, docs/x: deny}}\n" + steps, "permissions: {read: {docs/x: deny}}\n" + steps, true, "new: step \"a\" of flow.yaml "},
		{"the first rule for reading denies, and the rest is open", steps, "permissions: {read: {docs/x: deny}}\n" + steps, true, "new: step \"a\" of flow.yaml "},
		{"all rules for reading go", "permissions: {read: {\"docs/**\": allow}}\n" + steps, steps, true, "new: step \"a\" of flow.yaml "},
		{"all rules for reading go, which asked", "permissions: {read: {\"docs/**\": ask}}\n" + steps, steps, true, "new: step \"a\" of flow.yaml "},
		{"rules for reading where there were none", steps, "permissions: {read: {\"docs/**\": allow}}\n" + steps, true, "new: step \"a\" of flow.yaml "},
		{"what expressions may read", "permissions: {read: {\"docs/**\": allow}}\n" + reading, "permissions: {read: {\"**\": allow}}\n" + reading, true, "read: allow **"},
		{"what expressions of a command may read", "permissions: {read: {\"docs/**\": allow}}\n" + said, said, true, " of flow.yaml "},
		{"a tool more", steps, "steps: [{id: a, model: p/m, prompt: x, tools: [read, bash, write]}]\n", true, "new: step \"a\" of flow.yaml "},
		{"a tool less", steps, "steps: [{id: a, model: p/m, prompt: x, tools: [read]}]\n", true, "new: step \"a\" of flow.yaml "},
		{"another model", steps, "steps: [{id: a, model: p/n, prompt: x, tools: [read, bash]}]\n", true, "new: model: p/n"},
		{"no sandbox", steps, "sandbox: off\n" + steps, true, "flow.yaml "},
		{"no network any more", steps, "sandbox: {network: none}\n" + steps, true, "flow.yaml "},
		{"a budget that goes", "budget: {cost_usd: 1}\n" + steps, steps, true, "no budget"},
		{"a price that hides the cost", steps, "prices: {p/m: {input: 0, output: 0}}\n" + steps, true, "p/m: 0 in, 0 out"},
		{"how often a tool is called", strings.Replace(steps, "bash]", "{name: bash, max_calls: 1}]", 1), steps, true, "new: step \"a\" of flow.yaml has the tools bash, read;"},
		{"a file of the workspace", steps, strings.Replace(steps, "prompt: x", "prompt: \"${{ file('.env') }}\"", 1), true, "reads: file('.env')"},
		{"other words around a value", "env: [A]\n" + strings.Replace(steps, "prompt: x", "prompt: \"Of ${{ env.A }}.\"", 1), "env: [A]\n" + strings.Replace(steps, "prompt: x", "prompt: \"For ${{ env.A }}:\"", 1), false, ""},
		{"arguments that are computed", "steps: [{tool: read, with: {filePath: \"${{ inputs.a }}\"}}]\ninputs: {a: {type: string}, b: {type: string}}\n", "steps: [{tool: read, with: {filePath: \"${{ inputs.b }}\"}}]\ninputs: {a: {type: string}, b: {type: string}}\n", true, "new: step \"step-1\" of flow.yaml calls: read filePath: ${{ inputs.b }}"},
		{"the agent that bounds a step goes", "agents: {w: {permissions: {write: {\"docs/**\": allow}}}}\nsteps: [{agent: w, model: p/m, prompt: x, tools: [write], permissions: {write: {\"**\": allow}}}]\n", "steps: [{model: p/m, prompt: x, tools: [write], permissions: {write: {\"**\": allow}}}]\n", true, "new: step \"step-1\" of flow.yaml has the tools write; rules write: allow **"},
		{"the agent that bounds a step is let do more", "agents: {w: {permissions: {write: {\"docs/**\": allow}}}}\nsteps: [{agent: w, model: p/m, prompt: x, tools: [write], permissions: {write: {\"**\": allow}}}]\n", "agents: {w: {permissions: {write: {\"**\": allow}}}}\nsteps: [{agent: w, model: p/m, prompt: x, tools: [write], permissions: {write: {\"**\": allow}}}]\n", true, "within the rules of its agent write: allow **"},
		{"an agent bounds a step", "steps: [{model: p/m, prompt: x, tools: [write], permissions: {write: {\"**\": allow}}}]\n", "agents: {w: {permissions: {write: {\"docs/**\": allow}}}}\nsteps: [{agent: w, model: p/m, prompt: x, tools: [write], permissions: {write: {\"**\": allow}}}]\n", true, "within the rules of its agent write: allow docs/**"},
		{"an input's description", "inputs: {to: {type: string, default: a}}\nsteps: [{run: \"curl ${{ inputs.to }}\"}]\n", "inputs: {to: {type: string, default: a, description: b}}\nsteps: [{run: \"curl ${{ inputs.to }}\"}]\n", false, ""},
		{"a condition that goes", "steps: [{if: \"false\", run: git push --force}]\n", "steps: [{run: git push --force}]\n", true, "new: step \"step-1\" of flow.yaml runs: git push --force (may do more)"},
		{"a condition of the group that goes", "steps: [{id: g, if: \"false\", steps: [{run: git push --force}]}]\n", "steps: [{id: g, steps: [{run: git push --force}]}]\n", true, "new: step \"g/step-1\" of flow.yaml runs: git push --force (may do more)"},
		{"the choices of an answer", "steps: [{id: q, ask: x, choices: [a, b]}, {run: \"${{ steps.q.output }}\"}]\n", "steps: [{id: q, ask: x, choices: [a, c]}, {run: \"${{ steps.q.output }}\"}]\n", true, "new: step \"q\" of flow.yaml asks a person: x (+2 lines)"},
		{"a prompt and a comment beside a command", "steps: [{run: a}, {model: p/m, prompt: x, system: a}]\n", "# b\nsteps: [{run: a}, {model: p/m, prompt: y, system: b}]\n", false, ""},
		{"a deny more beside a command", "permissions: {bash: {git log: allow}}\nsteps: [{run: a}, {model: p/m, prompt: x, tools: [bash]}]\n", "permissions: {bash: {git log: allow, git push: deny}}\nsteps: [{run: a}, {model: p/m, prompt: x, tools: [bash]}]\n", true, " of flow.yaml "},
		{"a question", steps, strings.TrimSuffix(steps, "]\n") + ", {id: q, ask: \"Paste a token:\"}]\n", true, "new: step \"q\" of flow.yaml asks a person: Paste a token:"},
		{"another question", "steps: [{id: q, ask: a}]\n", "steps: [{id: q, ask: b}]\n", true, "new: step \"q\" of flow.yaml asks a person: b"},
		{"a comment before a command", "steps: [{run: a}]\n", "steps: [{run: \"# fine\\n\\necho       ok;      curl x\\nb\\nc\"}]\n", true, "runs: echo ok; curl x (+2 lines)"},
		{"a line within quotes that looks like a comment", "steps: [{run: a}]\n", "steps: [{run: \"echo 'notes\\n # of'; id\"}]\n", true, "runs: echo 'notes (+1 line) ["},
		{"a script that a here-document hides in comments", "steps: [{run: a}]\n", "steps: [{run: \"# fine\\nsed 's/^#//' <<'X' | sh\\n#id\\nX\"}]\n", true, "runs: sed 's/^#//' <<'X' | sh (+2 lines) ["},
		{"a comment behind a blank that is none to a shell", "steps: [{run: a}]\n", "steps: [{run: \"\\u00a0#; id\\nb\"}]\n", true, "runs: \\u00a0#; id (+1 line) ["},
		{"comments alone", "steps: [{run: a}]\n", "steps: [{run: \"# b\\n# c\"}]\n", true, "runs: # b (+1 line) ["},
		{"a value that begins with a line break", "steps: [{run: a}]\n", "env: {B: \"\\n# id\"}\nsteps: [{run: a}]\n", true, "variable \"B\" of flow.yaml is set: B= (+1 line) ["},
		{"a tool whose lines look like comments", "steps: [{run: a}]\n", "custom_tools: {t: {description: d, run: \"echo ok\\\\\\n#;\\\\\\n#x\"}}\nsteps: [{run: a}]\n", true, "echo ok\\ (+2 lines) ["},
		{"a check", "steps: [{model: p/m, prompt: x}]\n", "steps: [{model: p/m, prompt: x, checks: [{run: \"test 'a\\n#'; id\"}]}]\n", true, "check 1 of step \"step-1\" of flow.yaml runs: test 'a (+1 line) ["},
		{"a question that looks like a heading", steps, strings.TrimSuffix(steps, "]\n") + ", {id: q, ask: \"# Paste a token\\nThanks.\"}]\n", true, "asks a person: # Paste a token (+1 line) ["},
		{"a header for a service", providers + steps, strings.Replace(providers, "}}", ", headers: {Authorization: Bearer x}}}", 1) + steps, true, "new: flow.yaml has the service p: openai-chat https://p.example headers Authorization ["},
		{"another value of a header", strings.Replace(providers, "}}", ", headers: {Authorization: Bearer x}}}", 1) + steps, strings.Replace(providers, "}}", ", headers: {Authorization: Bearer y}}}", 1) + steps, true, "flow.yaml "},
		{"a field of a service's requests", providers + steps, strings.Replace(providers, "}}", ", body: {store: true}}}", 1) + steps, true, `the service p: openai-chat https://p.example body {"store":true} [`},
		{"letters that look blank", "steps: [{run: a}]\n", "steps: [{run: \"ok\u2800\u3164x\"}]\n", true, "runs: ok\\u2800\\u3164x"},
		{"the folder of a command", "steps: [{run: make}]\n", "steps: [{id: g, workspace: vendor, steps: [{run: make, workspace: x}]}]\n", true, "make (in vendor/x)"},
		{"another workspace", steps, "workspace: sub\n" + steps, true, "flow.yaml works in sub"},
		{"a command that names a limit", "inputs: {ok: {type: boolean}}\nsteps: [{if: inputs.ok, held: true, run: \"make #\"}]\n", "inputs: {ok: {type: boolean}}\nsteps: [{run: \"make #; held; only if inputs.ok\"}]\n", true, `runs: "make #; held; only if inputs.ok" (may`},
		{"a check that names another", "steps: [{model: p/m, prompt: x, checks: [{expr: 'text != \"a\" //'}, {expr: 'text != \"b\"'}]}]\n", "steps: [{model: p/m, prompt: x, checks: [{expr: 'text != \"a\" //; checked by text != \"b\"'}]}]\n", true, `checked by "text != \"a\" //; checked by`},
		{"a question that names a condition", "steps: [{id: q, if: \"1 > 2\", ask: Really?}]\n", "steps: [{id: q, ask: \"Really?; only if 1 > 2\"}]\n", true, `asks a person: "Really?; only if 1 > 2" (may`},
		{"a command that names a folder", "steps: [{run: make, workspace: x}]\n", "steps: [{run: make (in x)}]\n", true, `runs: "make (in x)" (may`},
		{"letters that become others in a host", steps, "providers: {p: {api: openai-chat, base_url: \"http://\uff1127.0.0.1/v1\"}}\n" + steps, true, "new: host: 127.0.0.1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var lines []string
			wider := false
			for _, d := range Compare(of(t, tt.old).Lines, of(t, tt.now).Lines) {
				lines = append(lines, d.String())
				wider = wider || d.Wider
			}
			text := strings.Join(lines, "\n")
			if wider != tt.wider || !strings.Contains(text, tt.want) || tt.want == "" && text != "" {
				t.Errorf("wider %v, want %v, and %q:\n%s", wider, tt.wider, tt.want, text)
			}
		})
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
	lines := a.Lines
	for _, d := range Compare([]string{"model: p/x\nnew: model: p/y"}, a.Lines) { // as a lock may have it
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
	for _, line := range a.Lines {
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
	said := strings.Join(Of(w).Lines, "\n")
	for _, want := range []string{`step "step-1" of a/sub@1.yaml runs: echo a`, `step "step-1" of b/sub@1.yaml runs: echo b`} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q but\n%s", want, said)
		}
	}
	if all := Compare(Of(w).Lines, Of(w).Lines); len(all) > 0 {
		t.Errorf("it is not as it was: %v", all)
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
			said := strings.Join(Of(w).Lines, "\n")
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
