package main

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/runner/journal/journaltest"
	"github.com/a-seed-11b9befa/flow/runner/view"
)

// A run that waits for a person is pruned only where that is asked for.
func TestPruneOfWaitingRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	journaltest.Write(t, host.RunsFolder+"/asks", `{"kind":"run","version":1,"data":{"run_id":"asks","steps":[],"inputs":{}}}
{"kind":"end","status":"waiting","data":{"status":"waiting"}}
`)
	for _, test := range []struct {
		state view.State
		want  string
	}{{"", ""}, {"failed", ""}, {"waiting", "removed asks\n"}} {
		var out bytes.Buffer
		p := newProgram(nil, &out, io.Discard, os.LookupEnv)
		chosen := view.Choice{Old: true, State: test.state, Older: 1}
		if err := p.pruneRuns(chosen); err != nil || out.String() != test.want {
			t.Errorf("%q: got %q, %v", test.state, out.String(), err)
		}
	}
}
