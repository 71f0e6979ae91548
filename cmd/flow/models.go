package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

func (p *program) modelsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "models",
		Short: "List the providers of models, and whether their keys are set",
		Args:  arguments(0, 0),
		RunE:  func(*cobra.Command, []string) error { return p.listModels() },
	}
}

// listModels tells of keys only whether they are there.
func (p *program) listModels() error {
	t := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "MODEL\tKEY\tBASE URL")
	fmt.Fprintln(t, "script/<file>\tnone needed\t")
	for _, s := range services() {
		fmt.Fprintf(t, "%s/<model>\t%s\t%s\n", s.name, p.keyState(s), p.urlState(s))
	}
	return t.Flush()
}

// keyState tells whether a key is there, and never what it is.
func (p *program) keyState(s service) string {
	key, variables := p.key(s)
	switch {
	case p.usesVertex(s):
		return "application default credentials (" + varUseVertex + " is set)"
	case variables == "":
		return "none needed"
	case key != "":
		return variables + " is set"
	}
	return variables + " is not set"
}

// urlState names the variable in place of the URL, which may hold a password.
func (p *program) urlState(s service) string {
	variable := s.urlVar
	if p.usesVertex(s) {
		variable = varVertexURL
	}
	if p.env(variable) == "" {
		return "the vendor's (" + variable + " is not set)"
	}
	return "from " + variable
}
