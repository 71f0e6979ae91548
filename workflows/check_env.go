package workflows

import (
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/known"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
)

// withVariables returns a scope whose env has the variables. All are strings to the type
// checker; one that is not set is nil, so `env.X ?? "default"` is right.
func (p *parser) withVariables(s *expression.Scope, v Variables) *expression.Scope {
	var names []string
	for _, name := range v.Names {
		if !isVariablePattern(name) {
			names = append(names, name)
		}
	}
	for _, g := range v.Given {
		names = append(names, g.Name)
	}
	mayBe := func(name string) bool { return Covers(v.Names, name) }
	return s.WithVariables(names, mayBe, func(names, variables []string, all bool) Words {
		words, _ := p.wordsOf(names, variables, all, v.Given)
		return words
	})
}

// checkSurroundings compiles a step's workspace and variables, and returns the scope of what it
// does there.
func (p *parser) checkSurroundings(step *Step, s *expression.Scope) *expression.Scope {
	p.compileTemplate(step.Workspace, s)
	if step.Env.None() {
		return s
	}
	named := Variables{Names: slices.Concat(p.variables.Names, step.Env.Names), Given: p.variables.Given}
	p.compileGiven(step.Env, p.withVariables(s, named))
	p.variables = Variables{Names: named.Names, Given: slices.Concat(named.Given, step.Env.Given)}
	return p.withVariables(s, p.variables)
}

// compileGiven compiles the values of variables, and marks as secret those that the file
// lists as such and those whose value uses a secret.
func (p *parser) compileGiven(v Variables, s *expression.Scope) {
	for i := range v.Given {
		g := &v.Given[i]
		p.compileTemplate(g.Value, s)
		g.Secret = Covers(p.workflow.Secrets, g.Name)
		for _, e := range g.Value.expressions() {
			if !e.Compiled() {
				continue
			}
			names, all := e.Variables()
			g.Secret = g.Secret || all && len(p.workflow.Secrets) > 0 || slices.ContainsFunc(names, p.isSecret)
		}
		p.checkRuling(g)
	}
}

// isSecret reports whether the value of a variable is masked.
func (p *parser) isSecret(name string) bool {
	return Covers(p.workflow.Secrets, name) || slices.ContainsFunc(p.variables.Given, func(g GivenVariable) bool { return g.Name == name && g.Secret })
}

// checkRuling reports a variable that changes what programs do and whose value a model
// may have written.
func (p *parser) checkRuling(g *GivenVariable) {
	for _, e := range g.Value.expressions() {
		if !e.Compiled() {
			continue
		}
		g.words = max(g.words, e.Words)
		if from := p.fromModel(e); from != "" && known.DecidesWhatRuns(g.Name) {
			d := p.ErrorWithin(e.Node, e.Offset, len(e.Source), diagnostic.CodeValue, "%s changes what programs do, and %s may come from a model", g.Name, from)
			d.Hint = "only the file's own words, env, run, workflow and the inputs of the run can stand here"
			if from == "inputs" {
				d.Hint = "what a used workflow is given may come from anywhere; env, run and workflow can stand here"
			}
			return
		}
	}
}

// fromModel returns the name in an expression whose value a model may have written; "" for
// none. The inputs of a used workflow may come from its caller's model.
func (p *parser) fromModel(e *expression.Expression) string {
	variables, all := e.Variables()
	words, from := p.wordsOf(e.Names(), variables, all, p.variables.Given)
	if words == Foreign {
		return from
	}
	return ""
}

// wordsOf returns who has a say in an expression with these names and variables of env,
// where the file gives some of the variables, and by which of the names.
func (p *parser) wordsOf(names, variables []string, all bool, given []GivenVariable) (words Words, from string) {
	for _, name := range names {
		switch {
		case name == "run" || name == "workflow" || name == "env":
		case name == "inputs" && len(p.loader.using) == 1:
			words, from = max(words, GivenWords), name
		case name == "file" || name == "glob" || !p.reader.Grammar.IsFunction(name):
			return Foreign, name
		}
	}
	for _, g := range given {
		if g.words > words && (all || slices.Contains(variables, g.Name)) {
			words, from = g.words, "env."+g.Name
		}
	}
	return words, from
}
