package workflows

import (
	"github.com/a-seed-11b9befa/flow/internal/format"
	"github.com/a-seed-11b9befa/flow/internal/tree"
)

// A Grant is what a used workflow may use of the machine, beside the tools that the rules
// of both workflows allow. The zero value grants nothing.
type Grant struct {
	Commands  bool     // the workflow's own: run, checks, custom tools
	Env       []string // environment variables, secret ones too
	Secrets   []string // variables that the workflow lists under secrets
	MCP       []string // servers, by their names in the workflow
	Addresses []string // hosts of the workflow's own providers and servers; "*" is any
	Pos       Position
}

func grantTable() *format.Object[Grant] {
	return &format.Object[Grant]{
		Name: "grant", What: "a grant", Doc: "What the workflow that is used may have of this machine. A recipe from elsewhere has nothing else.",
		Fields: []format.Field[Grant]{
			format.Key("commands", format.Boolean(), func(g *Grant) *bool { return &g.Commands }, "Its own commands: run, checks, custom tools. Default false."),
			format.Key("env", format.ListOf("env", format.Text()), func(g *Grant) *[]string { return &g.Env }, "Variables of the environment that it names under env, secrets or api_key_env."),
			format.Key("secrets", format.ListOf("secrets", format.Text()), func(g *Grant) *[]string { return &g.Secrets }, "Variables that it names under secrets, whose values are masked."),
			format.Key("mcp", format.ListOf("mcp", format.Text()), func(g *Grant) *[]string { return &g.MCP }, "Its own MCP servers, by name."),
			format.Key("addresses", format.ListOf("addresses", format.Text()), func(g *Grant) *[]string { return &g.Addresses }, `Hosts that its providers and servers are reached at; "*" is any.`),
		},
	}
}

// grantShape is a grant with its position.
func grantShape() format.Shape[*Grant] {
	return format.Pointer(grantTable().Shape(func(_ *format.Reader, n *tree.Node) Grant { return Grant{Pos: n.Position()} }))
}
