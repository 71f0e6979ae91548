package workflows

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
)

// withVariables gives a scope whose env has the variables. One that is not set is
// nil, which expr takes for a string, too: `env.X ?? "default"` is right.
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
	return s.WithVariables(names, func(name string) bool { return NamesVariable(v.Names, name) })
}

// checkPlace compiles where a step works and the variables that it has there, and
// gives the scope of what it does.
func (p *parser) checkPlace(step *Step, s *expression.Scope) *expression.Scope {
	p.compileTemplate(step.Workspace, s)
	if step.Env.None() {
		return s
	}
	named := Variables{Names: slices.Concat(p.variables.Names, step.Env.Names), Given: p.variables.Given}
	p.compileGiven(step.Env, p.withVariables(s, named))
	p.variables = Variables{Names: named.Names, Given: slices.Concat(named.Given, step.Env.Given)}
	return p.withVariables(s, p.variables)
}

// compileGiven compiles the values of variables, and finds out which are secret:
// those of which the file says so, and those that are made of a secret.
func (p *parser) compileGiven(v Variables, s *expression.Scope) {
	for i := range v.Given {
		g := &v.Given[i]
		p.compileTemplate(g.Value, s)
		g.Secret = NamesVariable(p.workflow.Secrets, g.Name)
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
	if NamesVariable(p.workflow.Secrets, name) {
		return true
	}
	return slices.ContainsFunc(p.variables.Given, func(g GivenVariable) bool { return g.Name == name && g.Secret })
}

// checkRuling reports a variable that changes what programs do, and gets a value that
// a model may have written.
func (p *parser) checkRuling(g *GivenVariable) {
	if !rulesPrograms(g.Name) {
		return
	}
	for _, e := range g.Value.expressions() {
		if !e.Compiled() {
			continue
		}
		for _, name := range e.Names() {
			if name != "env" && name != "run" && name != "workflow" && (name != "inputs" || len(p.loader.using) > 1) && p.isData(name) {
				p.ErrorWithin(e.Node, e.Offset, len(e.Source), diagnostic.CodeValue, "%s changes what programs do, and %s may come from a model", g.Name, name).
					Hint = p.rulingHint(name)
				break
			}
		}
	}
}

// isData reports whether a name stands for data, or for a function that reads some.
func (p *parser) isData(name string) bool {
	if name == "file" || name == "glob" {
		return true
	}
	return !p.reader.Grammar.IsFunction(name)
}

func (p *parser) rulingHint(name string) string {
	if name == "inputs" {
		return "what a used workflow is given may come from anywhere; env, run and workflow can stand here"
	}
	return fmt.Sprintf("only env, run, workflow and the inputs of the run can stand here; a command can take %s as an argument", name)
}

// rulesPrograms reports whether a variable changes which programs run, or what they
// run, read or trust: whoever sets it may as well run what they like.
func rulesPrograms(name string) bool {
	upper := strings.ToUpper(name)
	for _, prefix := range []string{
		"LD_", "DYLD_", "BASH", "GIT_", "SSH_", "SSL_", "XDG_", "LC_", "PYTHON", "PERL", "RUBY", "GEM_", "BUNDLE_", "NODE_", "NPM_", "YARN_", "PNPM_",
		"JAVA_", "JDK_", "MAVEN_", "GRADLE_", "CARGO_", "RUSTC", "RUSTFLAGS", "RUSTUP_", "CGO_", "CMAKE_", "MAKE", "DOCKER_", "KUBE", "CURL_", "PIP_", "UV_", "CONDA_", "COMPOSER_",
	} {
		if strings.HasPrefix(upper, prefix) {
			return !harmlessVariable(upper)
		}
	}
	return slices.Contains([]string{
		"PATH", "CDPATH", "FPATH", "IFS", "ENV", "SHELL", "SHELLOPTS", "PS4", "PROMPT_COMMAND", "HOME", "TMPDIR", "LANG", "TERMINFO", "LOCPATH", "NLSPATH", "GCONV_PATH",
		"EDITOR", "VISUAL", "PAGER", "MANPAGER", "LESS", "LESSOPEN", "LESSCLOSE", "BROWSER", "WGETRC", "CLASSPATH", "_JAVA_OPTIONS", "VIRTUAL_ENV",
		"CC", "CXX", "CPP", "LD", "AR", "AS", "FC", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "PKG_CONFIG", "PKG_CONFIG_PATH",
		"GOFLAGS", "GOROOT", "GOPATH", "GOENV", "GOPROXY", "GONOPROXY", "GOPRIVATE", "GOSUMDB", "GONOSUMDB", "GOINSECURE", "GOVCS", "GOAUTH", "GOTOOLCHAIN", "GOWORK", "GOBIN",
		"GOCACHE", "GOCACHEPROG", "GOMODCACHE", "GOTOOLDIR", "GODEBUG", "GOEXPERIMENT", "PHPRC", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE",
		"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY", "NO_PROXY",
	}, upper)
}

// harmlessVariable reports whether a variable of a program only changes how much it
// says.
func harmlessVariable(name string) bool {
	return slices.Contains([]string{"GIT_TERMINAL_PROMPT", "GIT_OPTIONAL_LOCKS", "NODE_ENV", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "PYTHONUTF8", "CARGO_TERM_COLOR", "CARGO_INCREMENTAL"}, name)
}
