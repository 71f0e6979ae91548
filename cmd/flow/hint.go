package main

import (
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// hintOf is a hint that names the flag of the option which would help, too.
func hintOf(hint, option string) string {
	flag := ""
	switch option {
	case runner.OptionDir:
		flag = "name another folder with --run-dir"
	case runner.OptionWorkspace:
		flag = "name another folder with --workspace"
	case runner.OptionModel:
		flag = "with --model"
	case runner.OptionBudgetUSD:
		flag = "--budget-usd"
	}
	if hint == "" || flag == "" {
		return hint + flag
	}
	return hint + ", or " + flag
}

// hinted is an error whose hint names flags.
func hinted(e *steps.Error) *steps.Error {
	if e == nil || e.Option == "" {
		return e
	}
	worded := *e
	worded.Hint, worded.Option = hintOf(e.Hint, e.Option), ""
	return &worded
}

// hintedAll are diagnostics whose hints name flags.
func hintedAll(found workflows.Diagnostics) workflows.Diagnostics {
	for i, d := range found {
		found[i].Hint = hintOf(d.Hint, d.Option)
		found[i].Option = ""
	}
	return found
}
