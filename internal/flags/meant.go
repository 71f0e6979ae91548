package flags

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
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
	for _, other := range c.Root().Commands() {
		if len(name) > 1 && other.Flags().Lookup(name) != nil {
			return "--" + name + " is a flag of " + other.CommandPath()
		}
	}
	if len(name) > 1 && slices.Contains(names, "input") {
		return "to give an input: -i " + name + "=VALUE; " + listed(c)
	}
	return ""
}

// example shows a flag with what it takes.
func example(c *cobra.Command, name string) string {
	kind, _ := pflag.UnquoteUsage(c.Flags().Lookup(name))
	return strings.TrimSpace(name + " " + kind)
}

func listed(c *cobra.Command) string { return `"` + c.CommandPath() + ` --help" lists the flags` }

// hintOfValue shows how a value that a flag does not take would be written.
func hintOfValue(c *cobra.Command, flag *pflag.Flag, text string) string {
	plain := strings.ToLower(strings.Trim(text, `$" `))
	for _, meant := range []string{plain, strings.TrimSuffix(plain, "usd"), plain + "s"} {
		if meant != text && flag.Value.Set(meant) == nil {
			return fmt.Sprintf("write --%s %s", flag.Name, meant)
		}
	}
	return listed(c)
}
