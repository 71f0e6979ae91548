package session

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/internal/ci"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/steps"
)

const greeting = `name: greeting
steps:
  - {id: greet, run: echo hello}
outputs: {said: "${{ steps.greet.text }}"}
`

// A stage is where a session is seen.
type stage struct {
	Options
	screen bytes.Buffer
	said   []string
}

// newStage is that of a workflow, in a folder of its own that is the current one.
func newStage(t *testing.T, stdout io.Writer) *stage {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.WriteFile("flow.yaml", []byte(greeting), 0o600); err != nil {
		t.Fatal(err)
	}
	w, found := host.Load("flow.yaml", host.LoadOptions{})
	if w == nil {
		t.Fatal(found)
	}
	s := &stage{}
	s.Options = Options{
		Host:   host.Options{Loaded: w, Mask: w.Mask(), Dir: "run"},
		Output: Output{Stdout: stdout, Screen: term.NewScreen(&s.screen), Env: func(name string) string { return map[string]string{"CI": "true"}[name] }},
		Say:    func(message string) { s.said = append(s.said, message) },
	}
	return s
}

func (s *stage) run(t *testing.T) *End {
	t.Helper()
	opened, err := Open(t.Context(), s.Options)
	if err != nil {
		t.Fatal(err)
	}
	end, err := opened.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return end
}

// TestSession runs a workflow: the result is on the output, the rest on the screen and in the
// files that are named.
func TestSession(t *testing.T) {
	var out bytes.Buffer
	s := newStage(t, &out)
	s.Events = File{"events", "events.jsonl"}
	s.Reports = []Report{{File: File{"junit", "junit.xml"}, Write: (*ci.Report).WriteJUnit}, {Write: (*ci.Report).WriteSummary}}
	logged := 0
	s.Log = func(runner.Event) { logged++ }
	end := s.run(t)
	if end.Result.Status != steps.Succeeded || errors.Join(end.Cause, end.WriteErr, s.Result(end.Result, FormatJSON)) != nil || s.said != nil {
		t.Errorf("%+v, %q", end, s.said)
	}
	if !strings.Contains(out.String(), `"said": "hello"`) {
		t.Errorf("output: %s", &out)
	}
	if text := s.screen.String(); !strings.Contains(text, "succeeded in") || !strings.Contains(text, "run folder: run\n") {
		t.Errorf("screen: %s", text)
	}
	events, err := os.ReadFile("events.jsonl")
	if err != nil || logged == 0 || bytes.Count(events, []byte("\n")) != logged {
		t.Errorf("%d events were logged; %v, %s", logged, err, events)
	}
	if report, err := os.ReadFile("junit.xml"); err != nil || !bytes.Contains(report, []byte(`name="greet"`)) {
		t.Errorf("%v, %s", err, report)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }

// TestOutputsThatFail tells what could not be printed and written apart from how the run went.
// A file that can't be opened keeps the workflow from running.
func TestOutputsThatFail(t *testing.T) {
	s := newStage(t, full{})
	s.Reports = []Report{{File: File{"summary", "summary.md"}, Write: func(*ci.Report, io.Writer) error { return errors.New("no report") }}}
	end := s.run(t)
	if end.Result.Status != steps.Succeeded || s.Result(end.Result, FormatJSON) == nil || end.WriteErr == nil || end.WriteErr.Error() != "summary: no report" {
		t.Errorf("%+v", end)
	}
	s = newStage(t, full{})
	s.Record = File{"record", filepath.Join("nowhere", "record.yaml")}
	opened, err := Open(t.Context(), s.Options)
	if err != nil {
		t.Fatal(err)
	}
	_, err = opened.Run(t.Context())
	if _, ran := os.Stat("run"); err == nil || !strings.HasPrefix(err.Error(), "record: ") || ran == nil {
		t.Errorf("%v, %v", err, ran)
	}
}
