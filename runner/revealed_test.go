package runner

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/tools"
)

// The inputs of a run are had again with the secrets that they had; those whose secret is
// another, or not there, are named, so that no run goes on with *** for an input.
func TestInputsAreRevealed(t *testing.T) {
	const source = `
name: t
inputs: {plain: {type: string}, one: {type: string}, other: {type: string}}
steps: [{id: a, run: "true"}]
`
	tr := newTrial(t)
	tr.inputs = map[string]any{"plain": "x", "one": "with tok-5f2e9c", "other": "key-77aa01"}
	secrets := map[string]string{"TOKEN": "tok-5f2e9c", "KEY": "key-77aa01"}
	tr.change = func(o *Options) {
		o.Secrets = secrets
		o.Mask = tools.NewMask([]string{secrets["TOKEN"], secrets["KEY"]})
	}
	tr.run(source)
	for _, tt := range []struct {
		name    string
		secrets map[string]string
		hidden  []string
		inputs  map[string]any
	}{
		{"as they were", secrets, nil, tr.inputs},
		{"one is another", map[string]string{"TOKEN": "tok-000000", "KEY": "key-77aa01"}, []string{"one"}, nil},
		{"none is there", nil, []string{"one", "other"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			began, err := ReadBeginning(filepath.Join(tr.dir, "run"))
			if err != nil {
				t.Fatal(err)
			}
			inputs, hidden, err := began.Reveal(tt.secrets)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.hidden, hidden); diff != "" {
				t.Errorf("hidden inputs (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.inputs, inputs); tt.inputs != nil && diff != "" {
				t.Errorf("inputs (-want +got):\n%s", diff)
			}
			if inputs["plain"] != "x" {
				t.Errorf("the input without a secret is %v", inputs["plain"])
			}
		})
	}
}
