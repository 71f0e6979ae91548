package expression

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/expr-lang/expr/ast"

	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// textForms returns an expression in which texts that other languages fill in are put
// together: `hi ${x}`, f"hi {x}", "hi %s" % x and "hi {}".format(x).
func textForms(source string) []string {
	var all []string
	add := func(text string) {
		if text != source && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	for _, call := range []string{"%s", "string(%s)"} {
		add(literal().ReplaceAllStringFunc(marked().ReplaceAllString(source, "$1"), func(of string) string { return sum(of, call) }))
	}
	add(filled().ReplaceAllStringFunc(source, func(of string) string {
		parts := filled().FindStringSubmatch(of)
		return fmt.Sprintf("format(%s, %s)", numbered(parts[1]), strings.Trim(parts[2]+parts[3], "()"))
	}))
	add(apostrophe().ReplaceAllString(source, `"$1'$2"`))
	add(layouts().ReplaceAllStringFunc(source, func(of string) string { return "format(" + numbered(strings.TrimPrefix(of, "format(")) }))
	return all
}

var (
	marked = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bf(["'])`) })
	filled = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(literals + `(?: *% *([\w.]+|\([^()]*\))|\.format(\([^()]*\)))`)
	})
	layouts     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bformat\(` + literals) })
	apostrophe  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`'([^'"]*\w)'(\w[^'"]*)'`) })
	placeholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`%[sdvfq]|\{\}`) })
	inside      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$?\{([^{}\d][^{}]*)\}`) })
)

// numbered replaces the slots for values in a text by those of format: {0}, {1} and so on.
func numbered(text string) string {
	count := -1
	return placeholder().ReplaceAllStringFunc(text, func(string) string {
		count++
		return "{" + strconv.Itoa(count) + "}"
	})
}

// sum writes a string literal with expressions inside as a sum of literals and calls of them.
func sum(of, call string) string {
	found := inside().FindAllStringSubmatchIndex(of, -1)
	quote, last := of[:1], 1
	var parts []string
	add := func(text string) {
		if text != "" {
			parts = append(parts, quote+text+quote)
		}
	}
	for _, at := range found {
		add(of[last:at[0]])
		parts = append(parts, fmt.Sprintf(call, strings.TrimSpace(of[at[2]:at[3]])))
		last = at[1]
	}
	if add(of[last : len(of)-1]); len(found) == 0 {
		return of
	}
	return strings.Join(parts, " + ")
}

// unfilled finds texts with what other languages would fill in.
func (s *Scope) unfilled(root ast.Node) (found []misfit) {
	for _, n := range nodesOf[*ast.StringNode](root) {
		all := inside().FindAllStringSubmatch(n.Value, -1)
		i := slices.IndexFunc(all, func(at []string) bool { return strings.HasPrefix(at[0], "$") && s.namesData(at[1]) })
		if i >= 0 {
			problem := tree.Clip(all[i][0], 60) + " is part of the text, and no expression"
			found = append(found, misfit{n, len(n.Value) + 2, problem, `write "…" + ` + strings.TrimSpace(all[i][1]), true})
		}
	}
	return found
}

// namesData reports whether a text is a valid expression that names data.
func (s *Scope) namesData(text string) bool {
	read, err := parseExpression(s.grammar, text)
	return err == nil && IsExpression(text, s) && contains(read.Node, func(n ast.Node) bool {
		name, isName := n.(*ast.IdentifierNode)
		return isName && slices.Contains(s.Data(), name.Value)
	})
}
