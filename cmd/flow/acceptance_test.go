package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/a-seed-11b9befa/flow/internal/testkit"
)

// TestAcceptance runs the cases of a folder, each one rule of the language or
// of the contract seen from outside, against the program as it is built. The
// cases and what runs them are no part of this repository: FLOW_ACCEPTANCE_CASES
// names the folder, whose parent holds the harness.
func TestAcceptance(t *testing.T) {
	t.Parallel()
	cases := testkit.Find(t, "FLOW_ACCEPTANCE_CASES", "../shared/acceptance/cases")
	harness := filepath.Dir(cases)
	if _, err := os.Stat(filepath.Join(harness, "go.mod")); err != nil {
		testkit.Ran(t, "NO ACCEPTANCE CASES RAN: there is no harness beside %s; set FLOW_ACCEPTANCE_CASES", cases)
		t.SkipNow()
	}
	if testing.Short() {
		t.Skip("NO ACCEPTANCE CASES RAN: -short")
	}
	flow := filepath.Join(t.TempDir(), "flow")
	if out, err := exec.Command("go", "build", "-o", flow, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	run := exec.CommandContext(t.Context(), "go", "run", ".", "-flow", flow, "-cases", cases)
	run.Dir = harness
	out, err := run.CombinedOutput()
	summary := regexp.MustCompile(`(\d+) passed, (\d+) failed`).FindString(string(out))
	if err != nil || summary == "" {
		t.Fatalf("acceptance: %v\n%s", err, out)
	}
	testkit.Ran(t, "%s", summary)
}
