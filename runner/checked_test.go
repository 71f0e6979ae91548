package runner

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools/shell"
)

// A check whose command changed what it may not has not held, however it exited: the model is
// told what was undone and may mend it, and only then the step fails.
func TestChecksThatAreDenied(t *testing.T) {
	const source = `
name: t
model: fake/one
steps:
  - {id: a, prompt: hi, checks: [{run: "test \"${{ text }}\" = good || echo spoiled > kept"}], max_fixes: 1}
`
	for _, tt := range []struct {
		name, second string
		want         steps.Status
	}{{"and mended", "good", steps.Succeeded}, {"again", "bad", steps.Failed}} {
		t.Run(tt.name, func(t *testing.T) {
			tr := newTrial(t)
			tr.write("kept", "as it was\n")
			kept := filepath.Join(tr.dir, "kept")
			tr.change = func(o *Options) {
				o.Hold = func(ToolScope, Wish) (*steps.Sandbox, error) {
					keeper := &shell.Keeper{Root: tr.dir, Files: func() []string { return []string{kept} }}
					return &steps.Sandbox{Write: []string{tr.dir, "/tmp"}, Keeper: keeper}, nil
				}
			}
			var told []string
			tr.answer = func(_ context.Context, req providers.Request) (providers.Message, error) {
				if len(req.Messages) == 1 {
					return says("bad"), nil
				}
				told = append(told, req.Messages[len(req.Messages)-1].Text())
				return says(tt.second), nil
			}
			r := tr.run(source)
			if r.Status != tt.want || r.Error != nil && r.Error.Kind != steps.KindCheckFailed {
				t.Errorf("%s: %+v", r.Status, r.Error)
			}
			if len(told) != 1 || !strings.Contains(told[0], "the command changed kept, which no command may change, and flow has undone that") {
				t.Errorf("the model was told %q", told)
			}
			if got := tr.file("kept"); got != "as it was\n" {
				t.Errorf("it is %q", got)
			}
		})
	}
}
