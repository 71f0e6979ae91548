package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

const secretive = `
name: secretive
model: fake/one
secrets: [TOKEN]
steps:
  - {id: said, run: 'echo "it is $TOKEN, and *** is none"'}
  - {id: agent, prompt: "with ${{ env.TOKEN }} and ${{ steps.said.text }}", tools: [look, note]}
  - {id: gate, run: "test -e go"}
`

// secretTrial is a run with a secret, whose model calls one tool.
func secretTrial(t *testing.T, value, tool string) (tr *trial, asked *[]string) {
	asked = &[]string{}
	j := newJourney(t, "")
	j.trial.answer = func(_ context.Context, req providers.Request) (providers.Message, error) {
		var heard []string
		again := false
		for _, m := range req.Messages {
			again = again || m.Role == providers.RoleAssistant
			for _, b := range m.Blocks {
				heard = append(heard, b.Content, string(b.Arguments))
			}
		}
		*asked = append(*asked, req.Prompt+strings.Join(heard, "|"))
		if again {
			return says("done with " + req.Prompt), nil
		}
		m := calls(tool)
		m.Blocks[0].Arguments, _ = json.Marshal(map[string]string{"with": value})
		return m, nil
	}
	j.change = func(o *Options) {
		o.Tools = func(context.Context, ToolScope) (Toolbox, error) {
			return Toolbox{Guard: allowAll{}, Find: func(name string) []tools.Tool {
				if name == "note" {
					return []tools.Tool{noting{j}}
				}
				return []tools.Tool{echo{name}}
			}}, nil
		}
		o.Secrets = map[string]string{}
		o.LookupEnv = func(name string) (string, bool) { return value, name == "TOKEN" && value != "" }
		if value != "" {
			o.Secrets["TOKEN"] = value
		}
		o.Environment = func([]string, map[string]string) []string {
			return []string{"PATH=" + os.Getenv("PATH"), "TOKEN=" + value}
		}
		o.Mask = tools.NewMask([]string{value})
	}
	return j.trial, asked
}

// Secrets are not in the folder of a run. A process that has the same values goes on
// as if they were there; with other ones a conversation begins anew if it has only
// read, and else nothing runs.
func TestSecretsOfARunThatIsGoneOnWith(t *testing.T) {
	const value, other = "tok-5f2e9c-secret", "tok-other-1234567"
	for _, test := range []struct {
		name, tool, value, from string
		asked, refused          string // how the first request begins, or why nothing runs
	}{
		{"the same value", "look", value, "", "with " + value + " and it is " + value + ", and *** is none|||{\"with\":\"" + value, ""},
		{"the same value, after a call that may have written", "note", value, "", "with " + value + " and it is " + value, ""},
		{"another value", "look", other, "", "with " + other + " and it is ***, and *** is none|", ""},
		{"no value", "look", "", "", "with  and it is ***, and *** is none|", ""},
		{"another value, after a call that may have written", "note", other, "", "", "agent can't continue: its conversation contains the value of TOKEN, which has changed; it is not restarted"},
		{"no value, after a call that may have written", "note", "", "", "", "TOKEN, which has changed"},
		{"named", "note", other, "agent", "with " + other, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			first, _ := secretTrial(t, value, test.tool)
			if _, err := first.try(secretive); err != nil {
				t.Fatal(err)
			}
			run := filepath.Join(first.dir, "run")
			lines := strings.SplitAfter(first.read(run), "\n")
			noSecret(t, run, value)
			n := 0
			for i, line := range lines {
				if strings.Contains(line, `"kind":"answer"`) {
					n = i + 1
				}
			}
			dir := cutTo(t, run, n)
			then, asked := secretTrial(t, test.value, test.tool)
			set := then.change
			then.change = func(o *Options) {
				set(o)
				if o.Dir, o.Resume = dir, (&Resumption{}); test.from != "" {
					o.Resume.From = []journal.Address{unitOf(t, test.from)}
				}
			}
			_, err := then.try(secretive)
			switch {
			case test.refused == "" && (err != nil || len(*asked) == 0 || !strings.HasPrefix((*asked)[0], test.asked)):
				t.Errorf("%v, asked %q, want %q", err, *asked, test.asked)
			case test.refused != "" && (err == nil || !strings.Contains(err.Error(), test.refused)):
				t.Errorf("%v, want %s", err, test.refused)
			}
			noSecret(t, dir, value, other)
		})
	}
}

// A list that held a secret is not made anew: the elements of the old one may have had an effect.
func TestSecretInAListOfAgents(t *testing.T) {
	const source = `
name: listed
model: fake/one
secrets: [TOKEN]
steps:
  - {id: each, foreach: ["${{ env.TOKEN }}"], prompt: "with ${{ item }}", tools: [note]}
`
	first, _ := secretTrial(t, "tok-5f2e9c-secret", "note")
	if _, err := first.try(source); err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(first.dir, "run")
	before, _, _ := strings.Cut(first.read(run), `"kind":"answer"`)
	dir := cutTo(t, run, strings.Count(before, "\n")+1)
	then, asked := secretTrial(t, "tok-other-1234567", "note")
	set := then.change
	then.change = func(o *Options) {
		set(o)
		o.Dir, o.Resume = dir, &Resumption{}
	}
	const want = "each can't continue: its conversation contains the value of TOKEN"
	if _, err := then.try(source); err == nil || !strings.Contains(err.Error(), want) || len(*asked) > 0 {
		t.Errorf("%v, asked %q, want %s", err, *asked, want)
	}
}

// What has ended is not done again where its result lacks a secret: of what is read by
// what is to come a warning says so, of the elements of a foreach one.
func TestResultsThatLackASecret(t *testing.T) {
	const source = `
name: lacking
secrets: [TOKEN]
steps:
  - {id: each, foreach: [a, b], run: 'echo "${{ item }} $TOKEN"'}
  - {id: half, foreach: [c, d], max_parallel: 1, run: 'echo "${{ item }} $TOKEN"; test -e go || test ${{ item }} = c'}
  - {id: last, if: "always()", run: "echo ${{ steps.each.output }} ${{ steps.half.output }}"}
`
	first, _ := secretTrial(t, "tok-5f2e9c-secret", "look")
	if _, err := first.try(source); err != nil {
		t.Fatal(err)
	}
	then, _ := secretTrial(t, "tok-other-1234567", "look")
	then.write("go", "")
	set := then.change
	then.change = func(o *Options) {
		set(o)
		o.Dir, o.Resume = filepath.Join(first.dir, "run"), &Resumption{}
	}
	r, err := then.try(source)
	if err != nil {
		t.Fatal(err)
	}
	warned := map[string]int{}
	for _, e := range then.events {
		if strings.Contains(e.Message, "its result is kept, with ***") {
			warned[e.Unit.String()]++
		}
	}
	if r.Status != steps.Succeeded || len(warned) != 2 || warned["each"] != 1 || warned["half"] != 1 {
		t.Errorf("%s, warned of %v", r.Status, warned)
	}
}

// The last record of a run is its end, also if the result that it ends with was kept with a warning.
func TestNoWarningFollowsTheEnd(t *testing.T) {
	const source = `
name: kept
secrets: [TOKEN]
steps:
  - {id: said, run: 'echo "it is $TOKEN"'}
`
	first, _ := secretTrial(t, "tok-5f2e9c-secret", "look")
	if _, err := first.try(source); err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(first.dir, "run")
	records := strings.Count(first.read(run), "\n")
	for range 5 { // a record that is late is not late each time
		then, _ := secretTrial(t, "tok-other-1234567", "look")
		set := then.change
		dir := cutTo(t, run, records-1)
		then.change = func(o *Options) {
			set(o)
			o.Dir, o.Resume = dir, &Resumption{}
		}
		if _, err := then.try(source); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(then.read(dir)), "\n")
		last, all := lines[len(lines)-1], strings.Join(lines, "\n")
		if !strings.Contains(last, `"kind":"end"`) || strings.Count(all, "its result is kept, with ") != 1 {
			t.Errorf("the last records are\n%s", strings.Join(lines[len(lines)-2:], "\n"))
		}
	}
}

// noSecret looks through the folder of a run.
func noSecret(t *testing.T, dir string, values ...string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		for _, value := range values {
			if bytes.Contains(data, []byte(value)) {
				t.Errorf("%s has %s", path, value)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
