package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/google/go-cmp/cmp"
)

// globTree is a folder with 20 folders of 3 files each, a pipe and a link back.
func globTree(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for i := range 20 {
		folder := filepath.Join(root, fmt.Sprintf("d%02d", i))
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"a.go", "b.go", "c.md"} {
			write(t, folder, name, "")
		}
	}
	if err := errors.Join(syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600), os.Symlink(root, filepath.Join(root, "back"))); err != nil {
		t.Fatal(err)
	}
	return root
}

func TestGlob(t *testing.T) {
	root := globTree(t)
	const all = 1000
	tests := []struct {
		pattern string
		visits  int
		found   int
		wrong   string
	}{
		{"**/*.go", all, 40, ""},
		{"d0?/{a,b}.go", all, 20, ""},
		{"d00/c.md", all, 1, ""},
		{"pipe/*", all, 0, ""},
		{"*/x", all, 0, ""},
		{"nowhere/**", all, 0, ""},
		{"../**", all, 0, ""},
		{"**", 60, 0, "more than 60 files to look at"},
		{"{a,**/*.go,**/*.md}", 60, 0, "more than 60 files to look at"},
		{"**/none", 60, 0, "more than 60 files to look at"},
		{"[", all, 0, "syntax error in pattern"},
	}
	for _, tt := range tests {
		t.Run(tt.pattern, func(t *testing.T) {
			found, err := glob(t.Context(), root, tt.pattern, tt.visits)
			if len(found) != tt.found || !slices.IsSorted(found) || (err != nil) != (tt.wrong != "") {
				t.Errorf("found %q, %v; want %d", found, err, tt.found)
			}
			if err != nil && !strings.Contains(err.Error(), tt.wrong) {
				t.Errorf("got %v, want %q", err, tt.wrong)
			}
		})
	}
}

func TestGlobEndsWithItsContext(t *testing.T) {
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(enough)
	for _, pattern := range []string{"**/none", "d*/{a,b}.go", "d00/a.go"} {
		if found, err := glob(ctx, globTree(t), pattern, maxGlobVisits); !errors.Is(err, enough) || found != nil {
			t.Errorf("%s: got %q, %v; want the context's cause", pattern, found, err)
		}
	}
}

// What an expression looks for ends with the step's time, whichever key it
// stands under, and the step says so.
func TestExpressionsEndWithTheStep(t *testing.T) {
	for _, step := range []string{
		`prompt: "${{ len(glob('**')) }}"`,
		`run: "echo ${{ len(glob('**')) }}"`,
		"tool: one\n    with: {n: \"${{ len(glob('**')) }}\"}",
	} {
		tr := newTrial(t)
		r := tr.run("name: t\nmodel: openai/m\nsteps:\n  - id: a\n    timeout: 1ns\n    " + step + "\n")
		if a := r.Steps[0]; a.Status != steps.Stopped || a.StopReason != steps.ReasonTimeout {
			t.Errorf("%s: %s, %s, %+v", step, a.Status, a.StopReason, a.Error)
		}
	}
}

func TestFileWaitsForNoPipe(t *testing.T) {
	in := &reader{ctx: t.Context(), in: &instance{Workflow: &workflows.Workflow{}, at: &workEnv{}, exec: &exec{Options: Options{}.withDefaults()}}, at: &workEnv{}}
	dir := globTree(t)
	if text, err := in.file(filepath.Join(dir, "pipe")); err == nil || !strings.Contains(err.Error(), "regular file") {
		t.Errorf("got %q, %v", text, err)
	}
	if text, err := in.file(filepath.Join(dir, "d00")); err == nil || !strings.Contains(err.Error(), "it is a folder") {
		t.Errorf("got %q, %v", text, err)
	}
}

// A workflow from elsewhere learns no names of files outside its reach through a link in the workspace.
func TestGlobStaysInReach(t *testing.T) {
	outside, workspace := t.TempDir(), t.TempDir()
	for _, name := range []string{filepath.Join(outside, "private.txt"), filepath.Join(workspace, "mine.txt")} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(workspace, "out")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		within string
		want   []string
	}{{workspace, []string{"mine.txt"}}, {"", []string{"mine.txt", "out/private.txt"}}} {
		r := &reader{ctx: t.Context(), in: &instance{Workflow: &workflows.Workflow{}, at: &workEnv{}, exec: &exec{Options: Options{}.withDefaults()}, within: tt.within}, at: &workEnv{workspace: workspace}}
		var got []string
		for _, pattern := range []string{"*.txt", "out/*"} {
			found, err := r.glob(pattern)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, found...)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("within %q (-want +got):\n%s", tt.within, diff)
		}
	}
}
