package runner

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
)

// rulesOn are rules for reading: what has this in its path is denied.
type rulesOn struct{ denied string }

func (r rulesOn) Open(path string) (*os.File, error) {
	if !r.Readable(path) {
		return nil, errors.New("the rules deny it")
	}
	return os.Open(path)
}

func (r rulesOn) Readable(path string) bool { return !strings.Contains(path, r.denied) }

// rulesOfModels are rules for paths that a model may have influenced.
func rulesOfModels(_ ToolScope, own bool) (Reading, error) {
	if own {
		return nil, nil
	}
	return rulesOn{"one"}, nil
}

// TestFileReads has what a step says of files, and what it gets.
func TestFileReads(t *testing.T) {
	limited := func(o *Options) { o.Reading = func(ToolScope, bool) (Reading, error) { return rulesOn{"one"}, nil } }
	ruled := func(o *Options) {
		o.InputsForeign = true
		o.Reading = rulesOfModels
	}
	none := func(o *Options) { o.InputsForeign = true }
	reads := func(o *Options) { o.Reading = rulesOfModels }
	used := "uses: own/used.yaml, with: {path: "
	for _, tt := range []struct {
		name, step string
		change     func(*Options)
		want       string // the text of the step, or in its error
		kind       steps.Kind
	}{
		{"a file", `run: "echo ${{ file('one.txt') }}"`, nil, "1", ""},
		{"one that is not there", `run: "echo ${{ file('none.txt') }}"`, nil, "none.txt: no such file", steps.KindInvalidWorkflow},
		{"a folder", `run: "echo ${{ file('sub') }}"`, nil, "sub: it is a folder", steps.KindInvalidWorkflow},
		{"a pipe", `run: "echo ${{ file('pipe') }}"`, nil, "pipe: it is not a regular file", steps.KindInvalidWorkflow},
		{"the author's own, which is denied", `run: "echo ${{ file('one.txt') }}"`, limited, "the rules deny it", steps.KindInvalidWorkflow},
		{"another", `run: "echo ${{ file('two.txt') }}"`, limited, "2", ""},
		{"files by a pattern of the author's, without what is denied", `run: "echo ${{ join(glob('*.txt'), ' ') }}"`, limited, "two.txt", ""},
		{"by an input", `run: "echo ${{ file(inputs.path) }}"`, nil, "1", ""},
		{"by an input of a model's", `run: "echo ${{ file(inputs.path) }}"`, ruled, "the rules deny it", steps.KindInvalidWorkflow},
		{"which is allowed", `run: "echo ${{ file(inputs.other) }}"`, ruled, "2", ""},
		{"without rules", `run: "echo ${{ file(inputs.other) }}"`, none, "there are no rules for reading", steps.KindInvalidWorkflow},
		{"the author's own", `run: "echo ${{ file('one.txt') }}"`, ruled, "1", ""},
		{"files by a pattern", `run: "echo ${{ join(glob('*.txt'), ' ') }}"`, nil, "one.txt two.txt", ""},
		{"by a model's", `run: "echo ${{ join(glob(inputs.pattern), ' ') }}"`, ruled, "two.txt", ""},
		{"without rules for a model's", `run: "echo ${{ join(glob(inputs.pattern), ' ') }}"`, none, "there are no rules for reading", steps.KindInvalidWorkflow},
		{"a used workflow's, in the workspace", used + "two.txt}", reads, "2", ""},
		{"which is denied", used + "one.txt}", reads, "the rules deny it", steps.KindInvalidWorkflow},
		{"elsewhere", used + "../outside.txt}", reads, ": a workflow called with uses can read only files in its own folder and in its caller's workspace", steps.KindInvalidWorkflow},
		{"elsewhere, by a link", used + "link.txt}", reads, ": a workflow called with uses can read only files in its own folder and in its caller's workspace", steps.KindInvalidWorkflow},
		{"the run's own", used + "../run/journal.jsonl}", reads, ": a workflow called with uses can read only files in its own folder and in its caller's workspace", steps.KindInvalidWorkflow},
		{"the caller by a link", `run: "echo ${{ file('link.txt') }}"`, nil, "4", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr := newTrial(t)
			tr.write("w/one.txt", "1")
			tr.write("w/two.txt", "2")
			tr.write("w/sub/three.txt", "3")
			tr.write("outside.txt", "4")
			tr.write("own/used.yaml", "name: used\ninputs: {path: {type: string}}\nsteps: [{id: say, run: 'echo ${{ file(inputs.path) }}'}]\noutputs: {said: '${{ steps.say.text }}'}\n")
			for _, err := range []error{syscall.Mkfifo(filepath.Join(tr.dir, "w/pipe"), 0o600), os.Symlink("../outside.txt", filepath.Join(tr.dir, "w/link.txt"))} {
				if err != nil {
					t.Fatal(err)
				}
			}
			tr.change = func(o *Options) {
				o.Workspace = filepath.Join(tr.dir, "w")
				if tt.change != nil {
					tt.change(o)
				}
			}
			r := tr.run("name: t\ninputs: {path: {type: string, default: one.txt}, other: {type: string, default: two.txt}, pattern: {type: string, default: '*.txt'}}\nsteps:\n  - {id: a, " + tt.step + "}\noutputs: {said: '${{ steps.a.output }}'}\n")
			var kind steps.Kind
			got := r.Steps[0].Text
			if r.Error != nil {
				kind, got = r.Error.Kind, r.Error.Message
			}
			if kind != tt.kind || !strings.Contains(got, tt.want) {
				t.Errorf("%q (%s), want %q (%s)", got, kind, tt.want, tt.kind)
			}
		})
	}
}

// TestPathsOfAModel: where a model has named a file, the rules of the step stand before it.
func TestPathsOfAModel(t *testing.T) {
	tr := newTrial(t)
	tr.write("one.txt", "1")
	tr.write("two.txt", "2")
	tr.answer = func(_ context.Context, req providers.Request) (providers.Message, error) {
		return says(req.Prompt), nil
	}
	var mu sync.Mutex
	var scopes []string
	tr.change = func(o *Options) {
		o.Reading = func(s ToolScope, own bool) (Reading, error) {
			if own {
				return nil, nil
			}
			mu.Lock()
			defer mu.Unlock()
			scopes = append(scopes, filepath.Base(s.Workspace)+" "+filepath.Base(s.Run)+" "+filepath.Base(s.Outputs))
			return rulesOn{"one"}, nil
		}
	}
	r := tr.run(`
name: t
model: openai/m
steps:
  - {id: name, foreach: [one.txt, two.txt], prompt: "${{ item }}"}
  - {id: read, foreach: "${{ steps.name.output }}", on_error: continue, run: "echo ${{ file(item) }}"}
`)
	read := elementsOf(t, r.Steps[1])
	if read[0].Error == nil || !strings.Contains(read[0].Error.Message, "the rules deny it") || read[1].Text != "2" {
		t.Errorf("%+v, %q", read[0].Error, read[1].Text)
	}
	want := filepath.Base(tr.dir) + " run outputs"
	if len(scopes) == 0 || scopes[0] != want {
		t.Errorf("the rules of %v, want %s", scopes, want)
	}
}
