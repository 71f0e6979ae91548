package files

import (
	"encoding/json"
	"os"
	"os/exec"
	"testing"
)

// rerun runs the test alone in a process of its own.
func rerun(t *testing.T, environment string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), environment)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func marshal(t *testing.T, a args) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
