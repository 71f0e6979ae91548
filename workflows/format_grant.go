package workflows

import "github.com/a-seed-11b9befa/flow/workflows/internal/tree"

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

func grantTable() *object[Grant] {
	return &object[Grant]{
		name: "grant", what: "a grant", doc: "What the workflow that is used may have of this machine. A recipe from elsewhere has nothing else.",
		fields: []field[Grant]{
			key("commands", boolean(), func(g *Grant) *bool { return &g.Commands }, "Its own commands: run, checks, custom tools. Default false."),
			key("env", listOf("env", wordText()), func(g *Grant) *[]string { return &g.Env }, "Variables of the environment that it names under env, secrets or api_key_env."),
			key("secrets", listOf("secrets", wordText()), func(g *Grant) *[]string { return &g.Secrets }, "Variables that it names under secrets, whose values are masked."),
			key("mcp", listOf("mcp", wordText()), func(g *Grant) *[]string { return &g.MCP }, "Its own MCP servers, by name."),
			key("addresses", listOf("addresses", wordText()), func(g *Grant) *[]string { return &g.Addresses }, `Hosts that its providers and servers are reached at; "*" is any.`),
		},
	}
}

// grantShape is a grant with its position.
func grantShape() shape[*Grant] {
	return pointer(grantTable().shape(func(_ *parser, n *tree.Node) Grant { return Grant{Pos: n.Position()} }))
}
