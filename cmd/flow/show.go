package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/view"
)

func (p *program) showCommand() *cobra.Command {
	output := choice{value: outputText, allowed: []string{outputText, outputJSON}}
	c := &cobra.Command{
		Use:   "show [RUN]",
		Short: "Say what a run did: steps, calls, denials, tokens, cost",
		Long: `Say what a run did: steps, calls, denials, tokens, cost. RUN is the id of a run
under .flow/runs, or the folder of a run; without it the last run is shown. A run
that was killed is shown as far as it had come, and one that goes on as far as it is.`,
		Args: arguments(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := findRun(args)
			if err != nil {
				return err
			}
			return p.show(dir, output.value)
		},
	}
	c.Flags().Var(&output, "output", "how it is printed")
	c.ValidArgsFunction = runWords
	completeFlags(c, map[string]completer{})
	return c
}

// show prints the report of a folder.
func (p *program) show(dir, output string) error {
	unreadable := func(err error) error {
		return usage("a run's folder holds journal.jsonl", "%s: %v", dir, paths.Cause(err))
	}
	if output == outputJSON {
		result, err := runner.ReadResult(dir)
		if err != nil {
			return unreadable(err)
		}
		return result.WriteJSON(term.JSONOutput(p.stdout, p.env), nil)
	}
	past, err := view.ReadPast(dir)
	if err != nil {
		return unreadable(err)
	}
	_, err = io.WriteString(p.stdout, reportOf(past, dir))
	return err
}

// findRun returns the folder of the run that the arguments name.
func findRun(args []string) (string, error) {
	runs := filepath.Join(".flow", "runs")
	if len(args) == 0 {
		return lastRun(runs)
	}
	for _, dir := range []string{args[0], filepath.Join(runs, args[0])} {
		if isRun(dir) {
			return dir, nil
		}
	}
	return "", usage("name a run under "+runs+", or a run's folder", "there is no run %q", args[0])
}

// isRun reports whether a folder is one of a run.
func isRun(dir string) bool {
	info, err := os.Lstat(filepath.Join(dir, "journal.jsonl"))
	return err == nil && info.Mode().IsRegular()
}

// lastRun returns the run that began last.
func lastRun(runs string) (string, error) {
	entries, err := os.ReadDir(runs)
	if err != nil && !os.IsNotExist(err) {
		return "", usage("", "%s: %v", runs, paths.Cause(err))
	}
	last, began := "", time.Time{}
	for _, entry := range entries {
		dir := filepath.Join(runs, entry.Name())
		if !isRun(dir) {
			continue
		}
		if at := beginning(dir); last == "" || at.After(began) {
			last, began = dir, at
		}
	}
	if last == "" {
		return "", usage("name the folder of a run, or run a workflow", "there is no run under %s", runs)
	}
	return last, nil
}

// beginning is when a run began, as its journal says, or its name.
func beginning(dir string) time.Time {
	if from, err := journal.OpenReader(dir); err == nil {
		defer from.Close()
		if first, err := from.At(0); err == nil {
			return first.Time
		}
	}
	stamp, _, _ := strings.Cut(strings.Replace(filepath.Base(dir), "-", "", 1), "-")
	began, _ := time.Parse("20060102150405", stamp) // the zero time where it is no id
	return began
}
