package main

import (
	"errors"
	"os"
	"syscall"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// The exit codes.
const (
	exitSuccess       = 0
	exitFailure       = 1
	exitUsage         = 2 // nothing ran
	exitConfiguration = 3
	exitProvider      = 4
	exitLimit         = 5
	exitDenied        = 6
	exitRateLimited   = 7
	exitInvalidOutput = 8
	exitWaiting       = 9 // for a person
	exitInterrupted   = 130
	exitTerminated    = 143
)

// codeOf is the exit code of a run that an error of this kind ended.
func codeOf(kind steps.Kind) int {
	code, known := map[steps.Kind]int{
		steps.KindConfiguration: exitConfiguration, steps.KindAuth: exitConfiguration,
		steps.KindOverloaded: exitProvider, steps.KindProvider: exitProvider, steps.KindNetwork: exitProvider, steps.KindContextLength: exitProvider,
		steps.KindLimit: exitLimit, steps.KindBudget: exitLimit, steps.KindTimeout: exitLimit,
		steps.KindDenied: exitDenied, steps.KindRateLimited: exitRateLimited, steps.KindInvalidOutput: exitInvalidOutput, steps.KindCancelled: exitInterrupted,
	}[kind]
	if !known {
		return exitFailure
	}
	return code
}

// codeOfResult is the exit code of a run that has ended.
func codeOfResult(r *runner.Result) int {
	switch {
	case r.Status == steps.Succeeded:
		return exitSuccess
	case r.Status == steps.Waiting:
		return exitWaiting
	case r.Error == nil, errors.Is(&r.Error.Error, runner.ErrFindings):
		return exitFailure
	}
	return codeOf(r.Error.Kind)
}

// codeBefore is the exit code for an error before anything ran.
func codeBefore(err error) int {
	var interrupted *interruption
	if errors.As(err, &interrupted) {
		return codeOfSignal(interrupted.Signal)
	}
	if code := codeOf(steps.KindOf(err)); code == exitConfiguration || code == exitInterrupted {
		return code
	}
	return exitUsage
}

// codeOfDiagnostics is the exit code of a file with these mistakes.
func codeOfDiagnostics(found workflows.Diagnostics) int {
	switch {
	case !found.HasErrors():
		return exitSuccess
	case found.Configuration():
		return exitConfiguration
	}
	return exitUsage
}

// codeOfSignal is the exit code of a run that a signal ended.
func codeOfSignal(s os.Signal) int {
	if s == syscall.SIGINT {
		return exitInterrupted
	}
	return exitTerminated
}

// An exitError ends the program with a code, once everything has been said.
type exitError int

// Error is never shown.
func (e exitError) Error() string { return "exit" }

// exitWith returns the error that ends the program with a code; nil for success.
func exitWith(code int) error {
	if code == exitSuccess {
		return nil
	}
	return exitError(code)
}
