package view_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// TestScreen has what stands at the top of each archive of testdata/screen shown, as
// its file out has it:
//
//	run DIR FILE [NAME=VALUE…]   what a run tells while it goes on, and how it ends; names are inputs
//	ran DIR FILE [NAME=VALUE…]   how it ends
//	past DIR                     what its folder tells afterwards
//	unit DIR UNIT                and of a unit
//	compare DIR DIR              how two runs differ
//	plan FILE [NAME=VALUE…]      what is known before anything runs
//	ask TOOL ARGUMENTS           what somebody is asked about a call of w, by the rule r; a part in Go's quotes is unquoted
//
// A time of some seconds is 0.0s, and the name of a run ID.
func TestScreen(t *testing.T) {
	archives, err := filepath.Glob("testdata/screen/*.txtar")
	if err != nil || len(archives) < 5 {
		t.Fatalf("%d archives, %v", len(archives), err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			file, err := filepath.Abs(name)
			must(t, err)
			archive, err := txtar.ParseFile(file)
			must(t, err)
			out := &archive.Files[len(archive.Files)-1]
			if out.Name != "out" {
				t.Fatal("the last file of an archive is out")
			}
			got := shown(t, archive)
			if flag.Lookup("update").Value.String() == "true" {
				out.Data = []byte(got)
				must(t, os.WriteFile(file, txtar.Format(archive), 0o644))
			} else if diff := cmp.Diff(string(out.Data), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var (
	took  = regexp.MustCompile(`\b\d\.\ds\b`)
	named = regexp.MustCompile(`\b\d{8}-\d{6}-\w{4}\b`)
)

// shown lays out the files of an archive, and shows what it asks for.
func shown(t *testing.T, archive *txtar.Archive) string {
	t.Chdir(t.TempDir())
	for _, f := range archive.Files[:len(archive.Files)-1] {
		must(t, os.MkdirAll(filepath.Dir(f.Name), 0o700))
		must(t, os.WriteFile(f.Name, f.Data, 0o600))
	}
	here, err := os.Getwd()
	must(t, err)
	s := &screen{t: t}
	asked := 0
	for line := range strings.Lines(string(archive.Comment)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] != "#" {
			asked++
			s.line("> %s", strings.TrimSpace(line))
			s.show(words)
		}
	}
	if asked == 0 {
		t.Fatal("nothing is asked for")
	}
	return named.ReplaceAllString(took.ReplaceAllString(strings.ReplaceAll(s.String(), here, "$HERE"), "0.0s"), "ID")
}

// A screen is what is shown.
type screen struct {
	t *testing.T
	strings.Builder
}

func (s *screen) line(format string, args ...any) { fmt.Fprintf(s, format+"\n", args...) }

func (s *screen) show(words []string) {
	s.t.Helper()
	switch words[0] {
	case "run", "ran":
		s.run(words[1], words[2], words[3:], words[0] == "run")
	case "past":
		past, err := view.ReadPast(words[1])
		must(s.t, err)
		s.past(past)
	case "unit":
		u, err := journal.ParseAddress(words[2])
		must(s.t, err)
		s.unit(words[1], u)
	case "compare":
		c, err := view.Compare(words[1], words[2])
		must(s.t, err)
		c.Before.RunID, c.After.RunID = "", ""
		all := c.Steps
		c.Steps = nil
		s.json(c)
		for _, step := range all {
			s.json(step)
		}
	case "ask":
		arguments := strings.Join(words[2:], " ")
		if text, err := strconv.Unquote(arguments); err == nil {
			arguments = text
		}
		s.line("%q", view.Question(s.t.Context(), "w", words[1], []byte(arguments), "r"))
	default:
		s.t.Fatalf("%q is nothing to show", words)
	}
}

var milliseconds = regexp.MustCompile(`"duration_ms":\d+`)

func (s *screen) json(value any) {
	s.t.Helper()
	text, err := json.Marshal(value)
	must(s.t, err)
	s.line("%s", milliseconds.ReplaceAllString(string(text), `"duration_ms":0`))
}

func (s *screen) open(dir, file string, named []string, observe func(runner.Event)) *host.Host {
	s.t.Helper()
	inputs := map[string]any{}
	for _, pair := range named {
		name, value, _ := strings.Cut(pair, "=")
		if n, err := strconv.Atoi(value); err == nil {
			inputs[name] = n
		} else {
			inputs[name] = value
		}
	}
	path := os.Getenv("PATH")
	h, err := host.Open(s.t.Context(), host.Options{
		File: file, Dir: dir, Inputs: inputs, Observe: observe, MaxParallel: 1,
		Environment: host.Environment{Lookup: func(name string) (string, bool) { return path, name == "PATH" }},
		Ask: func(_ context.Context, _ string, _ json.RawMessage, d tools.Decision) (tools.Decision, error) {
			d.Verdict, d.Rule = tools.Deny, d.Rule+", "+view.Unasked
			return d, nil
		},
	})
	must(s.t, err)
	return h
}

// run shows how a run ends, and, if whole, what it tells while it goes on.
func (s *screen) run(dir, file string, named []string, whole bool) {
	s.t.Helper()
	narrator := new(view.Narrator)
	h := s.open(dir, file, named, func(e runner.Event) {
		for _, line := range narrator.Lines(e) {
			if whole {
				s.line("%s", line)
			}
		}
	})
	defer h.Close()
	result, err := h.Run(s.t.Context())
	must(s.t, err)
	for _, line := range narrator.Ending(result, "OUTPUTS", func(e *steps.Error) string { return e.Hint }) {
		s.line("%s", line)
	}
	if left := narrator.Running(); len(left) > 0 && result.Status != steps.Waiting {
		s.t.Errorf("%d units run when the run has ended", len(left))
	}
}

// past shows a run of which there is the folder.
func (s *screen) past(p *view.Past) {
	s.line("%s in %s: %v", p.Outcome(), view.Took(p.Took), p.Counts)
	for _, step := range p.Steps {
		text := fmt.Sprintf("%s %s: %v", step.Place, step.Status, step.Counts)
		if n := step.Elements; n != nil {
			text += fmt.Sprintf("; %d of %d elements, %d failed: %v", n.Ended, n.Of, n.Failed, n.Reasons)
		}
		s.line("%s", text)
		for _, trouble := range step.Troubles {
			s.line("  %s (%s) %s: %s; %d times, also %v", trouble.Unit, trouble.Label, trouble.Kind, view.Brief(trouble.Message), trouble.Times, trouble.Also)
		}
		if step.Untold > 0 {
			s.line("  %d more", step.Untold)
		}
	}
	if p.Failed != nil {
		s.line("first: %s: %s", p.Failed.Unit, view.Brief(p.Failed.Message))
	}
	for _, w := range p.Result.Waiting {
		s.line("waits: %s (%s)", w.Address(), view.AnswerForm(&w))
		for _, line := range view.QuestionLines(w.Question) {
			s.line("%s", line)
		}
	}
	for _, line := range append(p.Warned, p.Denials...) {
		s.line("%s", line)
	}
	s.line("nobody could be asked: %v", p.Unasked)
}

// unit shows a unit of a run.
func (s *screen) unit(dir string, u journal.Address) {
	s.t.Helper()
	p, err := view.ReadUnit(dir, u)
	if err != nil {
		s.line("%v", err)
		return
	}
	for _, in := range p.Inside {
		s.line("inside: %s (%s) %s", in.Unit.String(), in.Label, in.Status)
	}
	work, err := p.Work()
	must(s.t, err)
	if work != nil && work.Agent != nil {
		s.line("asked: %s", work.Agent.Prompt)
	}
	for _, fact := range p.Facts {
		s.line("%s %s%s", fact.Kind, fact.Call, fact.Status)
	}
	if p.Result != nil {
		for _, line := range view.Quoted(p.Result.Text) {
			s.line("%s", line)
		}
	}
}
