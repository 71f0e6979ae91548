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
	given := map[string]string{"workflow": "job.yaml", "resume": "true", "cache": "true"}
	write(t, dir, "job.yaml", "name: job\ninputs: {who: {type: string}}\nsteps:\n  - {id: say, run: \"test \\\"${{ inputs.who }}\\\" = 'a b $(id)' && echo fine\"}\noutputs: {said: '${{ steps.say.text }}'}\n")
	for _, test := range []struct {
		name, args string
		code       int
		want       string // of what is set, behind the run's folder
	}{
		{"succeeds", `-i 'who=a b $(id)'`, 0, "status=succeeded\ncost_usd=0\noutputs={\"said\":\"fine\"}\n"},
		{"fails", `-i who=nobody`, 1, "status=failed\ncost_usd=0\noutputs={\"said\":\"\"}\n"},
		{"never begins", ``, 2, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			given["args"] = test.args
			code, outputs := a.play(t, dir, home, given, test.name)
			_, rest, _ := strings.Cut(outputs, "\n")
			rest, page, _ := strings.Cut(rest, "report=")
			if (page != "") != (test.want != "") || page != "" && !strings.Contains(read(t, "/", strings.TrimSpace(page)), "<!doctype html>") {
				t.Errorf("the report is %q", page)
			}
			if code != test.code || rest != test.want {
				t.Errorf("exit code %d, want %d; it sets\n%s", code, test.code, outputs)
			}
		})
	}

	// The artifact of a job that failed, as the job that is run again has fetched it.
	write(t, dir, "two.yaml", "name: two\ninputs: {who: {type: string}}\nsteps:\n  - {id: first, run: 'echo x >>first'}\n  - {id: second, run: 'test -e mended && echo ${{ inputs.who }}'}\noutputs: {said: '${{ steps.second.text }}'}\n")
	given["workflow"], given["args"] = "two.yaml", `-i 'who=a b' --summary summary.md`
	if code, outputs := a.play(t, dir, home, given, "again"); code != 1 {
		t.Fatalf("exit code %d; it sets\n%s", code, outputs)
	}
	runs := filepath.Join(dir, ".flow", "runs")
	if err := os.Rename(filepath.Join(runs, "again-1-flow"), filepath.Join(runs, "again-earlier-flow")); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "mended", "")
	code, outputs := a.play(t, dir, home, given, "again")
	outputs, _, _ = strings.Cut(outputs, "report=")
	if want := "run=.flow/runs/again-earlier-flow\nstatus=succeeded\ncost_usd=0\noutputs={\"said\":\"a b\"}\n"; code != 0 || outputs != want {
		t.Errorf("exit code %d; it sets\n%s", code, outputs)
	}
	if first, summary := read(t, dir, "first"), read(t, dir, "summary.md"); first != "x\n" || !strings.Contains(summary, "succeeded") {
		t.Errorf("the first step left %q; the summary is\n%s", first, summary)
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
	values := []string{"${{ github.action_path }}", root, "${{ github.run_id }}", strings.ReplaceAll(name, " ", "-"), "${{ github.run_attempt }}", "1", "${{ github.action }}", "flow", "${{ runner.temp }}", t.TempDir()}
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
		variables := []string{"GITHUB_OUTPUT=" + filepath.Join(files, "output"), "GITHUB_PATH=" + filepath.Join(files, "path"), "GITHUB_STEP_SUMMARY=" + filepath.Join(files, "summary"), "HOME=" + home, "PATH=" + path}
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
