package flags

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
)

// foreignCommands are commands of other programs, and what does that here.
var foreignCommands = nearest.Meanings(
	"validate", "lint check verify vet", "run", "exec execute start launch apply go", "runs", "list ls ps history",
	"show", "logs log status inspect describe info view get report", "resume", "continue retry rerun restart answer approve",
	"init", "new create scaffold generate", "runs rm", "rm delete remove clean prune", "lock --update", "update upgrade", "fetch", "install pull download add",
	"push", "publish release upload", "mcp", "serve server", "explain", "why can", "run FILE --dry-run", "plan graph preview", "diff", "compare",
)

// foreignFlags are flags of other programs, in one word or letter, and the flag that does
// that here.
var foreignFlags = nearest.Meanings(
	"input", "var vars param params parameter set arg args define D", "inputs", "inputs-file input-file var-file vars-file values", "max-parallel", "jobs concurrency parallel parallelism workers j",
	"dry-run", "plan check preview noop n", "workspace", "cwd dir directory workdir chdir working-directory project w C", "output json", "json", "output", "format o",
	"log-level debug", "debug d", "quiet", "silent q s", "verbose", "v", "on-ask allow", "yes auto-approve y", "budget-usd", "cost max-cost max-cost-usd max-budget",
	"model", "llm m", "run-dir", "out out-dir output-dir", "step", "id task", "exit-code", "fail", "no-color", "no-colour", "events", "trace", "junit", "junit-xml", "transcript", "full all",
)

// elsewhere is where something is said that other programs have flags for.
var elsewhere = nearest.Meanings(
	"variables are those that flow is started with; the workflow names the ones that it reads under env", "env e environment env-file",
	"a timeout is said in the file: timeout of a step, or budget: {time: 10m}", "timeout t", "flow resume continues a run", "resume continue retry",
	"the file is named without a flag: flow run FILE", "file f workflow config c", "a key is read from the environment: flow models lists the variables", "api-key key token provider",
	"how often a step is tried is said in the file: retry: {max_attempts: 3}", "retries max-retries",
)

// hintOn says what was meant by a flag that a command does not have; "" if nothing is near.
func hintOn(c *cobra.Command, name string) string {
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := nearest.Of(name, names); near != "" && len(name) > 2 {
		return "did you mean --" + near + "?"
	}
	if i := slices.IndexFunc(names, func(own string) bool { return strings.HasPrefix(own, name+"-") }); i >= 0 {
		return "did you mean --" + names[i] + "?"
	}
	if meant, _, _ := strings.Cut(foreignFlags[name], " "); slices.Contains(names, meant) {
		return "did you mean --" + example(c, foreignFlags[name]) + "?"
	}
	if elsewhere[name] != "" {
		return strings.Replace(elsewhere[name], "flow run FILE", c.CommandPath()+" FILE", 1)
	}
	for _, other := range c.Root().Commands() {
		if len(name) > 1 && other.Flags().Lookup(name) != nil {
			return "--" + name + " is a flag of " + other.CommandPath()
		}
	}
	if len(name) > 1 && slices.Contains(names, "input") {
		return "an input is given with -i " + name + "=VALUE; " + listed(c)
	}
	return ""
}

// example shows a flag with what it takes.
func example(c *cobra.Command, meant string) string {
	if meant == "input" {
		return "input name=value"
	}
	flag := c.Flags().Lookup(meant)
	if flag == nil {
		return meant // with its value
	}
	kind, _ := pflag.UnquoteUsage(flag)
	return strings.TrimSpace(meant + " " + kind)
}

func listed(c *cobra.Command) string { return `"` + c.CommandPath() + ` --help" lists the flags` }

// hintOfValue shows how a value that a flag does not take would be written.
func hintOfValue(c *cobra.Command, flag *pflag.Flag, text string) string {
	plain := strings.ToLower(strings.Trim(text, `$" `))
	for _, meant := range []string{plain, strings.TrimSuffix(plain, "usd"), plain + "s", foreignValues[plain]} {
		if meant != "" && meant != text && flag.Value.Set(meant) == nil {
			return fmt.Sprintf("write --%s %s", flag.Name, meant)
		}
	}
	return listed(c)
}

// foreignValues are words for what flags take.
var foreignValues = nearest.Meanings("allow", "yes always", "deny", "no never", "json", "yaml yml", "debug", "verbose", "error", "err fatal", "warn", "warning", "off", "none silent")
