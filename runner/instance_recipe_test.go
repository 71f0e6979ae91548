package runner

import (
	"testing"

	"github.com/a-seed-11b9befa/flow/workflows"
)

// TestRecipeOfAnInstance: who asks is the recipe, also in a file of its own folder, and
// nobody where all files are the caller's.
func TestRecipeOfAnInstance(t *testing.T) {
	at := func(caller *instance, dir, name, usedAs string) *instance {
		return &instance{Workflow: &workflows.Workflow{Dir: dir, File: dir + "/" + name}, caller: caller, usedAs: usedAs}
	}
	top := at(nil, "here", "flow.yaml", "")
	named := at(nil, "/cache/y", "flow.yaml", "github.com/acme/y@v2")
	recipe := at(top, "/cache/x", "flow.yaml", "github.com/acme/x@v1")
	for _, tt := range []struct {
		in   *instance
		want string
	}{
		{top, ""},
		{named, "github.com/acme/y@v2"},
		{at(named, "/cache/y", "sub.yaml", "sub.yaml"), "github.com/acme/y@v2"},
		{at(top, "here", "sub@1.yaml", "sub@1.yaml"), ""},
		{recipe, "github.com/acme/x@v1"},
		{at(recipe, "/cache/x", "sub@1.yaml", "sub@1.yaml"), "github.com/acme/x@v1"},
	} {
		if got := tt.in.recipe(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.in.File, got, tt.want)
		}
	}
}
