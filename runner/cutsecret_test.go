package runner

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
)

// TestCutSecret: of a secret that is where a text is cut, nothing is told or kept.
func TestCutSecret(t *testing.T) {
	const secret = "opensesame-2718281828-open"
	for name, tt := range map[string]struct {
		steps string
		about int
		blank bool // what comes before the secret
	}{
		"an answer that is no JSON":          {`[{prompt: hi, output: json}]`, 80, false},
		"an input of a used workflow":        {`[{id: a, prompt: hi}, {uses: used.yaml, with: {x: "${{ steps.a.output }}"}}]`, 80, false},
		"what is no list":                    {`[{id: a, prompt: hi, output: lines}, {foreach: "${{ toJSON(steps.a.output[0]) == '' ? [] : steps.a.output[0] }}", run: "true"}]`, 60, false},
		"a label":                            {`[{id: a, prompt: hi, output: lines}, {foreach: "${{ steps.a.output }}", label: "${{ item }}", run: "true"}]`, 100, false},
		"a label behind more than is masked": {`[{id: a, prompt: hi, output: lines}, {foreach: "${{ steps.a.output }}", label: "${{ item }}", run: "true"}]`, maxMasked, true},
		"the default of a question":          {`[{id: a, prompt: hi}, {ask: Well?, output: {type: string, pattern: "^a+$"}, timeout: 1s, default: "${{ steps.a.output }}"}]`, 80, false},
		"an answer of a person":              {`[{ask: Well?, output: {type: string, pattern: "^a+$"}}]`, 80, false},
		"a choice of a person":               {`[{ask: Well?, choices: [yes, no]}]`, 60, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for before := tt.about - len(secret) - 2; before <= tt.about+2; before += 4 {
				tr := newTrial(t)
				tr.write("used.yaml", "name: used\ninputs: {x: {type: string, pattern: '^a+$'}}\nsteps: [{run: 'true'}]\n")
				pad := "x"
				if tt.blank {
					pad = " "
				}
				text := strings.Repeat(pad, before) + secret
				tr.answer = func(context.Context, providers.Request) (providers.Message, error) { return says(text), nil }
				mask := tools.NewMask([]string{secret})
				tr.change = func(o *Options) {
					o.Mask = mask
					o.Question = func(context.Context, *Question) (any, error) { return text, nil }
				}
				if _, err := tr.try("name: t\nmodel: fake/one\nsteps: " + tt.steps + "\n"); err != nil {
					t.Fatal(err)
				}
				if said := fmt.Sprintf("%+v", tr.events) + everythingIn(t, filepath.Join(tr.dir, "run")); strings.Contains(said, secret[:6]) {
					at := strings.Index(said, secret[:6])
					t.Fatalf("%d before: …%s", before, said[max(0, at-200):min(len(said), at+100)])
				}
			}
		})
	}
}

// everythingIn is what the files of a folder have.
func everythingIn(t *testing.T, folder string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
