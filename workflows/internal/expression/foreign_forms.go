package expression

import (
	_ "embed" // foreign_forms.txt
	"regexp"
	"strings"
	"sync"
)

// foreignForms has a form of another language in each line, in the order in which they are
// rewritten: a pattern, in which @ is an operand, such as a name with its fields or a call, and
// behind arrows what is written here, if anything. Behind = is the name here of functions.
//
//go:embed foreign_forms.txt
var foreignForms string

// A rewrite is a form of another language, and what is written here instead: one of
// several that makes an expression of it.
type rewrite struct {
	foreign *regexp.Regexp
	here    []string
}

// rewrites are those of [foreignForms].
var rewrites = sync.OnceValue(func() (all []rewrite) {
	const operand = `((?:[#\w\x00]+|\[[^\[\]]*\]|\((?:[^()]|\([^()]*\))*\)|\.\w)+)`
	for line := range strings.SplitSeq(foreignForms, "\n") {
		form := strings.Split(line, " → ")
		if words, function, isFunction := strings.Cut(line, " = "); isFunction {
			form = []string{`\b(?:` + strings.ReplaceAll(words, " ", "|") + `)\(`, function + "("}
		}
		if pattern := strings.ReplaceAll(form[0], "@", operand); !strings.HasPrefix(line, "# ") && pattern != "" {
			all = append(all, rewrite{regexp.MustCompile(pattern), append(form, "")[1:max(2, len(form))]})
		}
	}
	return all
})
