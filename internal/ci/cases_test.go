package ci

import (
	"encoding/xml"
	"strings"
	"testing"
	"time"

	"github.com/a-seed-11b9befa/flow/runner/suite"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// TestWriteCases writes suites of tests, with text that is no XML, and reads them.
func TestWriteCases(t *testing.T) {
	var b strings.Builder
	at := workflows.Position{File: "a.test.yaml", Line: 9, Column: 3}
	err := WriteCases(&b, []*suite.Outcome{
		{File: "a.test.yaml", Name: "one", Took: 1500 * time.Millisecond},
		{File: "a.test.yaml", Name: "two <b>", Failures: []suite.Failure{{Pos: at, What: "x", Diff: "- 1\x1b\n"}, {What: "more"}}},
		{File: "b.test.yaml", Name: "three", Skipped: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	checkSchema(t, b.String())
	var read junitSuites
	if err := xml.Unmarshal([]byte(b.String()), &read); err != nil {
		t.Fatal(err)
	}
	if read.Tests != 3 || read.Failures != 1 || read.Suites[1].Skipped != 1 || read.Time != "1.500" || len(read.Suites) != 2 {
		t.Errorf("%+v", read)
	}
	two := read.Suites[0].Cases[1]
	if two.Name != "two <b>" || two.Failure.Message != "a.test.yaml:9:3: x" || !strings.Contains(two.Failure.Text, "    - 1") || strings.Contains(two.Failure.Text, "\x1b") {
		t.Errorf("%+v, %+v", two, two.Failure)
	}
	if three := read.Suites[1].Cases[0]; three.Skipped == nil {
		t.Errorf("%+v", three)
	}
}
