package scaffold

import (
	"bytes"
	"cmp"
	_ "embed"
	"path"
	"strings"
	"text/template"
)

//go:embed job.yaml
var jobText string

// action is the action of this repository, in the version that docs/ci.md names.
const action = "a-seed-11b9befa/flow@v0.1.0"

// github is a job of GitHub Actions for a workflow in a folder of the repository; "" is the top
// folder. The test of the workflow needs samples.
func (k Kind) github(folder string, samples bool) []byte {
	job := struct {
		Base, Action, Workflow, Args, Test string
		ForRequests                        bool // and not for pushes
	}{Base: k.Base, Action: action, Workflow: quoted(path.Join(folder, k.Workflow())), Args: cmp.Or(k.request, strings.Join(k.Args, " ")), ForRequests: k.request != ""}
	if samples {
		job.Test = shellQuoted(path.Join(folder, k.Base+".test.yaml"))
	}
	var b bytes.Buffer
	if err := template.Must(template.New("job").Delims("<<", ">>").Parse(jobText)).Execute(&b, job); err != nil {
		panic(err) // it is plain data
	}
	return b.Bytes()
}

// quoted quotes a path for YAML.
func quoted(path string) string { return "'" + strings.ReplaceAll(path, "'", "''") + "'" }

// shellQuoted quotes a path for a shell, inside a plain text of YAML.
func shellQuoted(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }
