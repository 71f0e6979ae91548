package host

import (
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/files"
	"github.com/a-seed-11b9befa/flow/tools/shell"
	"github.com/a-seed-11b9befa/flow/tools/web"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// Tools that are no file tools.
const (
	toolBash     = "bash"
	toolWebfetch = "webfetch"
)

// BuiltInTools are the specifications of the tools that every workflow can name.
func BuiltInTools() []tools.Spec {
	var specs []tools.Spec
	for _, t := range new(files.Workspace).Tools() {
		specs = append(specs, t.Spec())
	}
	return append(specs, shell.Bash(shell.BashOptions{}).Spec(), web.Fetch(web.Options{}).Spec())
}

// ToolInfos are the tools that the workflow can name without bringing them, as package workflows
// checks files against them: the built-in ones, and those of the environment.
func (l *Loaded) ToolInfos() []workflows.ToolInfo { return l.env.toolInfos() }

func (env Environment) toolInfos() []workflows.ToolInfo {
	var infos []workflows.ToolInfo
	for _, spec := range append(BuiltInTools(), env.toolSpecs()...) {
		infos = append(infos, workflows.ToolInfo{Name: spec.Name, Parameters: spec.Parameters})
	}
	return infos
}
