package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/internal/scaffold"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/workflows"
)

func (p *program) initCommand() *cobra.Command {
	github := false
	c := &cobra.Command{
		Use:   "init [KIND] [FOLDER]",
		Short: "Begin a workflow",
		Long:  "Begin a workflow in a folder (default: the current one), with all that it needs to run\nat once: a script that plays its model, a test, and data to try it with. The kinds:\n\n" + kindLines() + "\nNothing that is there is overwritten.",
		Args:  arguments(0, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			kind, dir := "empty", "."
			if len(args) > 0 {
				kind = args[0]
			}
			if len(args) > 1 {
				dir = args[1]
			}
			return p.begin(kind, dir, github)
		},
	}
	c.Flags().BoolVar(&github, "github", false, "also a job of GitHub Actions, at the top of the repository")
	c.ValidArgsFunction = kindWords
	return c
}

// kindLines lists the kinds for the help.
func kindLines() string {
	var b strings.Builder
	for _, k := range scaffold.Kinds() {
		fmt.Fprintf(&b, "  %s %s\n", term.Pad(k.Name, 18), k.About)
	}
	return b.String()
}

// kindWords completes a kind, and then a folder.
func kindWords(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	var words []string
	for _, k := range scaffold.Kinds() {
		words = append(words, described(k.Name, k.About))
	}
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// begin writes the files of a kind, and lists them.
func (p *program) begin(kind, dir string, github bool) error {
	if _, ok := scaffold.Find(kind); !ok {
		hint := "there are " + strings.Join(scaffold.Names(), ", ")
		if near := nearest.Of(kind, scaffold.Names()); near != "" {
			hint = "did you mean " + near + "?"
		}
		return usage(hint, "there is no kind of workflow %q", kind)
	}
	made, err := scaffold.Write(dir, scaffold.Options{Kind: kind, Schema: workflows.Schema(), GitHub: github})
	if exists := new(scaffold.ExistsError); errors.As(err, &exists) {
		return usage("name a folder that has none: flow init "+kind+" FOLDER", "%v", err)
	}
	if err != nil {
		return usage("", "%v", err)
	}
	var b strings.Builder
	for _, file := range made.Written {
		fmt.Fprintf(&b, "wrote %s\n", term.Visible(file))
	}
	for _, file := range made.Kept {
		fmt.Fprintf(&b, "left %s as it is\n", term.Visible(file))
	}
	if len(made.Ignore) > 0 {
		fmt.Fprintf(&b, "git should also ignore %s\n", strings.Join(made.Ignore, " "))
	}
	if dir != "." {
		fmt.Fprintf(&b, "now: cd %s\n", term.Visible(dir))
	}
	fmt.Fprintf(&b, "now: %s\n", strings.Join(append([]string{"flow", "run", made.Kind.Workflow()}, made.Kind.Args...), " "))
	_, err = fmt.Fprint(p.stdout, b.String())
	return err
}
