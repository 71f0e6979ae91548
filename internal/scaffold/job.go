package scaffold

import (
	"cmp"
	"fmt"
	"strings"
)

// action is the action of this repository, in the version that docs/ci.md names.
const action = "a-seed-11b9befa/flow@v0.1.0"

// github is a job of GitHub Actions for a workflow in a folder of the repository; "" is the top
// folder. The test of the workflow needs samples.
func (k Kind) github(folder string, samples bool) []byte {
	at, on := "", "push:\n  pull_request:"
	if folder != "" {
		at = folder + "/"
	}
	if k.request != "" {
		on = "pull_request:"
	}
	var b strings.Builder
	fmt.Fprintf(&b, `# A script plays the model of the workflow: to ask a real one, set the secret, and take the comment signs away.
name: %[1]s
on:
  %[2]s
permissions: {contents: read}
jobs:
  %[1]s:
    runs-on: ubuntu-latest
    timeout-minutes: 40
    steps:
      - uses: actions/checkout@v4
        with: {fetch-depth: 0}
      - uses: %[3]s
        with:
          workflow: %[4]s
`, k.Base, on, action, quoted(at+k.Workflow()))
	if args := cmp.Or(k.request, strings.Join(k.Args, " ")); args != "" {
		fmt.Fprintf(&b, "          args: %s\n", args)
	}
	b.WriteString(`        # env:
        #   FLOW_MODEL: anthropic/claude-haiku-4-5
        #   ANTHROPIC_API_KEY: ${{ secrets.ANTHROPIC_API_KEY }}
`)
	if samples {
		fmt.Fprintf(&b, "      - run: flow test %s\n", shellQuoted(at+k.Base+".test.yaml"))
	}
	return []byte(b.String())
}

// quoted quotes a path for YAML.
func quoted(path string) string { return "'" + strings.ReplaceAll(path, "'", "''") + "'" }

// shellQuoted quotes a path for a shell, inside a plain text of YAML.
func shellQuoted(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }
