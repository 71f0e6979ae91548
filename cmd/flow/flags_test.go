package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/a-seed-11b9befa/flow/internal/flags"
	"github.com/a-seed-11b9befa/flow/internal/session"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/tools"
)

// outcome is what one command line came to, in this process.
type outcome struct {
	code           int
	stdout, stderr string
}

// with is a program with an environment of its own.
func with(env map[string]string) *program {
	lookup := func(name string) (string, bool) { value, ok := env[name]; return value, ok }
	return newProgram(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{}, lookup)
}

func typed(env map[string]string, args ...string) outcome {
	var out, errs bytes.Buffer
	p := with(env)
	p.Stdout, p.Screen = &out, term.NewScreen(&errs)
	code := p.run(args)
	return outcome{code, out.String(), errs.String()}
}

func TestCommandLines(t *testing.T) {
	tests := []struct {
		args  string
		code  int
		wants string // on standard error
	}{
		{"", 0, ""},
		{"runn x", 2, "did you mean flow run?"},
		{"zzzzzzzz", 2, "lists the commands"},
		{"lint x", 2, "did you mean flow validate?"},
		{"run x --json", 2, "did you mean --output?"},
		{"show --cost", 2, "lists the flags"},
		{"cache list", 2, "lists the commands"},
		{"run", 2, "usage: flow run FILE"},
		{"run x --dryrun", 2, "did you mean --dry-run?"},
		{"run x --nothing-like-it-at-all", 2, "lists the flags"},
		{"run x --no-cache --cache-only", 2, "[no-cache cache-only]"},
		{"run x --verbose --quiet", 2, "[quiet verbose]"},
		{"lock --check --update", 2, "[check update]"},
		{"lock --check --accept-wider", 2, "[accept-wider check]"},
		{"test --live --model a/b --update", 2, "[live update]"},
		{"mcp --listen 127.0.0.1:1", 2, "missing [token-file]"},
		{"run x -v", 2, "lists the flags"},
		{"run x --output yaml", 2, "text, json, none"},
		{"cache clear", 2, "did you mean flow cache clean?"},
		{"run x --grace 10", 2, "expected a duration, such as 30s"},
		{"run x --log-level", 2, "flag needs an argument: --log-level"},
		{"run x --on-ask maybe", 2, "deny, allow, fail"},
		{"run x --max-parallel many", 2, "--max-parallel"},
		{"run x --max-parallel=-2", 2, "a whole number, 1 or more"},
		{"run x --budget-usd=-0.5", 2, "expected an amount in USD, 0 or more, such"},
		{"run x --events - --output json", 2, "because both write to standard output"},
		{"validate x --output yaml", 2, "text, json"},
		{"explain x", 2, "an argument is missing"},
		{"explain x y z more", 2, `unexpected argument "more"`},
		{"show a b", 2, `there is no run "a"`},
		{"version", 0, ""},
		{"schema", 0, ""},
	}
	for _, tt := range tests {
		got := typed(nil, strings.Fields(tt.args)...)
		if got.code != tt.code || !strings.Contains(got.stderr, tt.wants) {
			t.Errorf("flow %s: %d, %q, want %d, %q", tt.args, got.code, got.stderr, tt.code, tt.wants)
		}
		if tt.code != 0 && got.stdout != "" {
			t.Errorf("flow %s: on standard output: %q", tt.args, got.stdout)
		}
		if strings.Contains(got.stderr, "Usage:") || strings.Count(got.stderr, "\n") > 3 {
			t.Errorf("flow %s: a wall of text:\n%s", tt.args, got.stderr)
		}
	}
}

func TestEventsOnStandardOutputStandAlone(t *testing.T) {
	f := &runFlags{}
	f.Events.Path = "-"
	p := &program{}
	if err := f.check(p); err != nil || p.format != session.FormatNone {
		t.Errorf("output %q, %v", p.format, err)
	}
	logged := session.Options{Silent: true}
	for _, test := range []struct {
		f    runFlags
		want string
	}{{runFlags{}, ""}, {runFlags{Options: logged}, "info"}, {runFlags{Options: logged, logLevel: "off"}, "off"}, {runFlags{Options: logged, logLevel: "error"}, "error"}} {
		if err := test.f.check(&program{}); err != nil || test.f.logLevel != test.want {
			t.Errorf("log level %q, want %q; %v", test.f.logLevel, test.want, err)
		}
	}
}

// The secrets of a workflow are hidden in results, as text and as JSON.
func TestResultsWithoutSecrets(t *testing.T) {
	for format, want := range map[string]string{formatText: "a ***\n", formatJSON: "\"a ***\"\n"} {
		var out bytes.Buffer
		p := newProgram(nil, &out, io.Discard, os.LookupEnv)
		p.format = format
		p.Hide(tools.NewMask([]string{"hunter-4f9A8b7C"}))
		if err := p.tell("a hunter-4f9A8b7C", func() string { return "a hunter-4f9A8b7C\n" }); err != nil || out.String() != want {
			t.Errorf("%q, %v, want %q", out.String(), err, want)
		}
	}
}

func TestListsOfWhatIsBuiltIn(t *testing.T) {
	key := map[string]string{"OPENAI_API_KEY": "sk-0123456789abcdef"}
	models := typed(key, "models")
	if models.code != 0 || !strings.Contains(models.stdout, "OPENAI_API_KEY is set") || strings.Contains(models.stdout, "sk-0123") {
		t.Errorf("models: %+v", models)
	}
	listed := typed(nil, "tools")
	for _, spec := range host.BuiltInTools() {
		if !strings.Contains(listed.stdout, "\n"+spec.Name+" {") && !strings.HasPrefix(listed.stdout, spec.Name+" {") {
			t.Errorf("tools: %s is missing", spec.Name)
		}
		if _, err := tools.CompileSchema(spec.Parameters); err != nil {
			t.Errorf("%s: %v", spec.Name, err)
		}
	}
	if schema := typed(nil, "schema").stdout; strings.HasSuffix(schema, "\n\n") {
		t.Error("the schema ends in an empty line")
	}
}

// An empty value mostly comes from a variable of the shell that is not set. No flag and no argument
// takes it: a gate would pass, and another run would be meant.
func TestEmptyValues(t *testing.T) {
	t.Chdir(t.TempDir())
	var commands func(c *cobra.Command) []*cobra.Command
	commands = func(c *cobra.Command) (all []*cobra.Command) {
		for _, sub := range c.Commands() {
			all = append(append(all, sub), commands(sub)...)
		}
		return all
	}
	for _, c := range commands(with(nil).rootCommand()) {
		if strings.HasPrefix(c.CommandPath(), "flow completion") {
			continue
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "input" {
				return // it is read with the file
			}
			if got := typed(nil, append(strings.Fields(c.CommandPath())[1:], "--"+f.Name+"=")...); got.code != exitUsage || !strings.Contains(got.stderr, f.Name) {
				t.Errorf("%s --%s=: exit code %d, %s", c.CommandPath(), f.Name, got.code, got.stderr)
			}
		})
		if first, ok := flags.Argument(c, 0); ok {
			if got := typed(nil, append(strings.Fields(c.CommandPath())[1:], "", "", "")[:len(strings.Fields(c.CommandPath()))]...); got.code != exitUsage {
				t.Errorf("%s, and an empty %s: exit code %d, %s", c.CommandPath(), first, got.code, got.stderr)
			}
		}
	}
	if got := typed(nil, "diff", "a", "b", "--check", ""); got.code != exitUsage || !strings.Contains(got.stderr, "--check") {
		t.Errorf("a gate without a condition: exit code %d, %s", got.code, got.stderr)
	}
}
