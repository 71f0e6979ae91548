package expression

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

const (
	longestRewrite = 120 // of what a hint shows whole: a part of it could not be followed
	mostRewrites   = 48  // that are tried for one expression
	mostInside     = 3   // of one form, each inside of the next: a.map(…).join(…)
	mostRewritten  = 50  // expressions of a file for which they are tried
)

// An unread is an expression that could not be parsed, and so has not reached its scope.
type unread struct {
	expr    *Expression
	mistake *diagnostic.Diagnostic
	want    reflect.Kind
}

// Suggest adds to the mistakes of syntax how the expressions are written here. The scope has
// the names that any of them may use.
func (r *Reader) Suggest(s *Scope) {
	for _, u := range r.unread {
		r.suggest(u.mistake, u.expr, u.expr.Source, s, u.want)
	}
}

// suggest adds to a mistake how a source, the whole expression or a part of it, is written here
// if it has forms of another language, and reports whether that is a valid expression.
func (r *Reader) suggest(d *diagnostic.Diagnostic, e *Expression, source string, s *Scope, want reflect.Kind) bool {
	defer noteQuotes(d, e)
	source = strings.Join(strings.Fields(source), " ")
	if r.rewritten++; len(source) > longestRewrite || r.rewritten > mostRewritten {
		return false
	}
	all := candidates(source)
	for _, text := range textForms(source) {
		all = append(append(all, text), candidates(text)...)
	}
	for _, text := range all {
		if len(text) <= longestRewrite && r.isValid(text, s, want) {
			d.Hint = "write " + text
			return true
		}
	}
	return false
}

const onlyInQuotes = "; YAML takes this only in quotes"

// noteQuotes says where YAML would read what a hint writes in another way.
func noteQuotes(d *diagnostic.Diagnostic, e *Expression) {
	written, found := strings.CutPrefix(d.Hint, "write ")
	if !found || e.Node.Style != tree.StylePlain || strings.HasSuffix(d.Hint, onlyInQuotes) {
		return
	}
	if strings.Contains(written, " : ") || strings.Contains(written, " #") || e.Offset == 0 && strings.ContainsAny(written[:1], "\"'`[{!") {
		d.Hint += onlyInQuotes
	}
}

// isValid reports whether an expression has no mistake in a scope.
func (r *Reader) isValid(text string, s *Scope, want reflect.Kind) bool {
	read, err := parseExpression(r.Grammar, text)
	if err != nil {
		return false
	}
	for _, ref := range s.stepReferences(read.Node) {
		if problem, _ := s.steps[ref.Of].Problem(ref.ID); problem != "" {
			return false
		}
	}
	e := &Expression{Source: text, tree: read}
	return len(s.bareSteps(read.Node)) == 0 && e.compile(s, want) == nil && len(e.misfits) == 0
}

// candidates are what an expression may be here, those with fewer rewrites first.
func candidates(source string) []string {
	text, literals := masked(source)
	texts, counts := []string{text}, map[string]int{text: 0}
	add := func(text string, count int) {
		if _, known := counts[text]; !known && len(texts) < mostRewrites {
			texts, counts[text] = append(texts, text), count
		}
	}
	for _, rewrite := range []func(string) string{withoutNames, withoutComprehension, withoutRange, withoutContexts} {
		add(rewrite(text), 1)
	}
	for _, form := range rewrites() {
		for _, text := range slices.Clone(texts) {
			for _, here := range form.here {
				for i, now := range form.applied(text, here) {
					add(now, counts[text]+1+i)
				}
			}
		}
	}
	slices.SortStableFunc(texts, func(a, b string) int { return counts[a] - counts[b] })
	var all []string
	for _, text := range texts {
		all = append(all, unmasked(strings.Join(strings.Fields(text), " "), literals)...)
	}
	return all[1:]
}

// applied returns a text after one, two and more replacements, of which each can be inside of
// the one before it.
func (r rewrite) applied(text, here string) (all []string) {
	for range mostInside {
		next := r.foreign.ReplaceAllString(text, here)
		if next == text {
			break
		}
		all, text = append(all, next), next
	}
	return all
}

// masked replaces the string literals of an expression, which are no code, by their number.
func masked(source string) (text string, literals []string) {
	text = literal().ReplaceAllStringFunc(source, func(of string) string {
		literals = append(literals, of)
		return fmt.Sprintf("\x00%d\x00", len(literals)-1)
	})
	return text, literals
}

// unmasked undoes masked, and gives the text once more where literals mean something else
// here: a number in quotes is meant as one, and a status of another program as that of a step.
func unmasked(text string, literals []string) (all []string) {
	plain, meant := text, text
	for i, of := range literals {
		mask := fmt.Sprintf("\x00%d\x00", i)
		plain = strings.ReplaceAll(plain, mask, of)
		word := strings.Trim(of, `"'`)
		if status := foreignStatuses[word]; status != "" && strings.Contains(text, ".status ") {
			of = strconv.Quote(status)
		} else if isNumeric(word) || word == "true" || word == "false" {
			of = word
		}
		meant = strings.ReplaceAll(meant, mask, of)
	}
	return slices.Compact([]string{plain, meant})
}

// literals matches a string literal.
const literals = "(\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'|`[^`]*`)"

var literal = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(literals) })

var namedElement = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:\((\w+)\)|\b(\w+)) *=> *|\blambda (\w+): *`)
})

// withoutNames writes # for the element that a predicate names: x => x.name is #.name.
func withoutNames(text string) string {
	at := namedElement().FindStringSubmatchIndex(text)
	if at == nil {
		return text
	}
	name := strings.Trim(namedElement().ReplaceAllString(text[at[0]:at[1]], "$1$2$3"), " ")
	return text[:at[0]] + named(text[at[1]:], name)
}

// named replaces a name by #.
func named(text, name string) string {
	return regexp.MustCompile(`\b`+regexp.QuoteMeta(name)+`\b`).ReplaceAllLiteralString(text, "#")
}

var comprehension = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\[ *([^\[\]]+?) for (\w+) in ([^\[\]]+?)(?: if ([^\[\]]+?))? *\]`)
})

// withoutComprehension writes map and filter for [x.name for x in list if x.n > 1].
func withoutComprehension(text string) string {
	return comprehension().ReplaceAllStringFunc(text, func(text string) string {
		of := comprehension().FindStringSubmatch(text)
		element, name, list, condition := of[1], of[2], of[3], of[4]
		if condition != "" {
			list = fmt.Sprintf("filter(%s, %s)", list, named(condition, name))
		}
		if element == name {
			return list
		}
		return fmt.Sprintf("map(%s, %s)", list, named(element, name))
	})
}

var numbers = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\brange\((?:(\d+), *)?(\d+)\)`) })

// withoutRange writes the numbers of Python's range(1, 4), which leaves out the last, as 1..3.
func withoutRange(text string) string {
	of := numbers().FindStringSubmatch(text)
	if of == nil {
		return text
	}
	from, _ := strconv.Atoi(of[1])
	behind, _ := strconv.Atoi(of[2])
	return strings.Replace(text, of[0], fmt.Sprintf("%d..%d", from, behind-1), 1)
}

var contexts = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(github|runner|secrets|vars)\.(\w+)`) })

// withoutContexts writes what Actions of GitHub know of a job as the variables that have it.
func withoutContexts(text string) string {
	return contexts().ReplaceAllStringFunc(text, func(of string) string {
		root, field, _ := strings.Cut(of, ".")
		return "env." + variableOf(root, field)
	})
}

// variableOf returns the variable of a field of one of [contexts].
func variableOf(root, field string) string {
	if root == "github" || root == "runner" {
		return strings.ToUpper(root + "_" + field)
	}
	return field
}

// contextHint says in which variable is what an expression reads of a context of GitHub's;
// "" for other names.
func contextHint(source string) string {
	of := contexts().FindStringSubmatch(source)
	if of == nil || !strings.HasPrefix(source, of[0]) {
		return ""
	}
	root, field, list := of[1], of[2], "env"
	if root == "secrets" || of[0] == "github.token" {
		list = "secrets"
	}
	variable, read := variableOf(root, field), ""
	if of[0] == "github.event" {
		variable = "GITHUB_EVENT_PATH"
		read = "fromJSON(file(env.GITHUB_EVENT_PATH))" + strings.TrimSpace(source[len(of[0]):])
	}
	return fmt.Sprintf("write %s; name it under the file's %q: %s: [%s]", cmp.Or(read, "env."+variable), list, list, variable)
}
