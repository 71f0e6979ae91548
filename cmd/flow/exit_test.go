package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

func TestCodeOf(t *testing.T) {
	codes := map[steps.Kind]int{
		steps.KindInvalidWorkflow: 1, // in mid-run: something ran
		steps.KindInvalidInput:    1,
		steps.KindConfiguration:   3,
		steps.KindAuth:            3,
		steps.KindRateLimited:     7,
		steps.KindOverloaded:      4,
		steps.KindProvider:        4,
		steps.KindNetwork:         4,
		steps.KindContextLength:   4,
		steps.KindContentFilter:   1,
		steps.KindInvalidOutput:   8,
		steps.KindCheckFailed:     1,
		steps.KindTool:            1,
		steps.KindCommand:         1,
		steps.KindDenied:          6,
		steps.KindLimit:           5,
		steps.KindBudget:          5,
		steps.KindTimeout:         5,
		steps.KindCancelled:       130,
		steps.KindInternal:        1,
		"a kind of tomorrow":      1,
	}
	for kind, want := range codes {
		if got := codeOf(kind); got != want {
			t.Errorf("codeOf(%s) = %d, want %d", kind, got, want)
		}
		if codeOf(kind) == exitSuccess {
			t.Errorf("%s is told as a success", kind)
		}
	}
}

func TestCodeBefore(t *testing.T) {
	tests := []struct {
		what string
		err  error
		want int
	}{
		{"wrong usage", steps.Invalid("", "no"), 2},
		{"a folder", &steps.Error{Kind: steps.KindInvalidInput}, 2},
		{"a model", fmt.Errorf("step: %w", &steps.Error{Kind: steps.KindConfiguration}), 3},
		{"a provider's own", &providers.Error{Kind: providers.KindAuth}, 3},
		{"interrupted", context.Canceled, 130},
		{"by a signal", fmt.Errorf("--events: %w", &interruption{Signal: syscall.SIGTERM}), 143},
		{"anything", errors.New("anything"), 2},
	}
	for _, tt := range tests {
		if got := codeBefore(tt.err); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.what, got, tt.want)
		}
	}
}

func TestCodeOfSignal(t *testing.T) {
	for signal, want := range map[os.Signal]int{os.Interrupt: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 143, syscall.SIGQUIT: 143} {
		if got := codeOfSignal(signal); got != want {
			t.Errorf("%v: %d, want %d", signal, got, want)
		}
	}
}

func TestCodeOfDiagnostics(t *testing.T) {
	mistake := workflows.Diagnostic{Severity: workflows.SeverityError, Code: "key"}
	warning := workflows.Diagnostic{Severity: workflows.SeverityWarning, Code: "permission"}
	model := workflows.Diagnostic{Severity: workflows.SeverityError, Code: "model"}
	lacking := workflows.Diagnostic{Severity: workflows.SeverityError, Code: diagnostic.CodeSandbox}
	tests := []struct {
		what  string
		found workflows.Diagnostics
		want  int
	}{
		{"none", nil, 0},
		{"warnings", workflows.Diagnostics{warning}, 0},
		{"a mistake", workflows.Diagnostics{warning, mistake}, 2},
		{"set-up", workflows.Diagnostics{model, warning, lacking}, 3},
		{"both", workflows.Diagnostics{model, mistake}, 2},
	}
	for _, tt := range tests {
		if got := codeOfDiagnostics(tt.found); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.what, got, tt.want)
		}
	}
}
