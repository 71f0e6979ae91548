package examples

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// An action is what action.yml says, as far as a shell can play it.
type action struct {
	Inputs map[string]struct{ Default string }
	Runs   struct {
		Using string
		Steps []struct {
			ID, Run string
			Env     map[string]string
		}
	}
}

// TestAction plays the action's own steps as a runner of GitHub does: each in a
// bash of its own, with its variables and the runner's files.
func TestAction(t *testing.T) {
	if testing.Short() {
		t.Skip("it installs flow")
	}
	var a action
	if err := yaml.Unmarshal([]byte(read(t, "../action.yml")), &a); err != nil || a.Runs.Using != "composite" {
		t.Fatalf("action.yml: %v, %q", err, a.Runs.Using)
	}
	dir, home := t.TempDir(), t.TempDir()
	write(t, dir, "job.yaml", "name: job\ninputs: {who: {type: string}}\nsteps:\n  - {id: say, run: \"test \\\"${{ inputs.who }}\\\" = 'a b $(id)' && echo fine\"}\noutputs: {said: '${{ steps.say.text }}'}\n")
	for _, test := range []struct {
		name, args string
		code       int
		want       string
	}{
		{"succeeds", `-i 'who=a b $(id)'`, 0, "status=succeeded\ncost_usd=0\noutputs={\"said\":\"fine\"}\n"},
		{"fails", `-i who=nobody`, 1, "status=failed\ncost_usd=0\noutputs={\"said\":\"\"}\n"},
		{"never begins", ``, 2, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, outputs := a.play(t, dir, home, map[string]string{"workflow": "job.yaml", "args": test.args}, test.name)
			_, rest, _ := strings.Cut(outputs, "\n")
			if code != test.code || rest != test.want {
				t.Errorf("exit code %d, want %d; it sets\n%s", code, test.code, outputs)
			}
		})
	}
}

// play runs the steps until one fails, and returns its exit code and what was set.
func (a action) play(t *testing.T, dir, home string, given map[string]string, name string) (code int, outputs string) {
	t.Helper()
	files := t.TempDir()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	values := []string{"${{ github.action_path }}", root, "${{ github.run_id }}", strings.ReplaceAll(name, " ", "-"), "${{ github.run_attempt }}", "1", "${{ github.action }}", "flow"}
	for input, declared := range a.Inputs {
		value, ok := given[input]
		if !ok {
			value = declared.Default
		}
		values = append(values, "${{ inputs."+input+" }}", value)
	}
	replace := strings.NewReplacer(values...)
	path := filepath.Join(home, "go", "bin") + string(os.PathListSeparator) + os.Getenv("PATH")
	for _, step := range a.Runs.Steps {
		if step.Run == "" {
			continue
		}
		if strings.Contains(step.Run, "${{") {
			t.Errorf("the script of a step has an expression in it: %s", step.Run)
		}
		variables := []string{"GITHUB_OUTPUT=" + filepath.Join(files, "output"), "GITHUB_PATH=" + filepath.Join(files, "path"), "HOME=" + home, "PATH=" + path}
		for key, value := range step.Env {
			variables = append(variables, key+"="+replace.Replace(value))
		}
		f := startWith(t, nil, dir, append([]string{"env"}, append(variables, "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)...)...)
		if code = f.code; code != 0 {
			break
		}
	}
	text, err := os.ReadFile(filepath.Join(files, "output"))
	if err != nil {
		t.Fatal(err)
	}
	return code, string(text)
}
