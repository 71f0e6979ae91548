package permission

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/command"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

// Warning is a rule that does not do what its author may think.
type Warning struct {
	// Key and Pattern say which rule: the tool, or the pattern over tools.
	Key, Pattern string
	Message      string
}

// Warnings returns what is doubtful in the rules of one domain's layers, sorted: rules that
// can never win, and allow rules for programs that do much more than the rule seems to
// say. It looks only at patterns, and ignores those that New refuses.
func Warnings(layers ...Rules) []Warning {
	var out []Warning
	add := func(key, pattern, message string) {
		if message != "" {
			out = append(out, Warning{key, pattern, message})
		}
	}
	all := Rules{}
	for _, layer := range layers {
		maps.Copy(all, layer)
	}
	for key := range all {
		rules := merge(layers, key).rules
		for _, r := range rules {
			add(key, r.Pattern, neverWins(key, r, rules))
			if key != "bash" {
				continue
			}
			if p, err := compileBash(r); err == nil {
				add(key, r.Pattern, syntaxWarning(p))
				add(key, r.Pattern, runnerWarning(p))
			}
		}
	}
	if names, err := newToolSet(layers); err == nil {
		var rules []Rule
		for _, r := range names.patterns {
			rules = append(rules, Rule{r.key, r.Verdict})
		}
		for _, r := range rules {
			add(r.Pattern, "*", neverWins("", r, rules))
		}
	}
	slices.SortFunc(out, func(a, b Warning) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Pattern, b.Pattern), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(out)
}

// maxCompared is how many rules of one kind are compared with each other: each with each takes
// minutes for thousands. Of more rules no warning says which never win.
const maxCompared = 500

// neverWins warns of a rule that a stricter one overrules. It returns "" for any other rule. Rules over
// names of tools have no key.
func neverWins(key string, r Rule, rules []Rule) string {
	if len(rules) > maxCompared {
		return ""
	}
	i := slices.IndexFunc(rules, func(other Rule) bool {
		return other.Verdict < r.Verdict && (other.Pattern == r.Pattern || includes(key, other.Pattern, r.Pattern))
	})
	if i < 0 {
		return ""
	}
	return fmt.Sprintf("this %s has no effect: the rule %q (%s) overrides it", r.Verdict, rules[i].Pattern, rules[i].Verdict)
}

// samples turn a pattern into texts that it matches: with nothing in place of the wildcards, and with
// characters that nobody writes.
var samples = []*strings.Replacer{
	strings.NewReplacer("**/", "", "*", "", "?", "\x01"),
	strings.NewReplacer("**", "\x01/\x01\x01", "*", "\x01\x01\x01", "?", "\x01"),
}

// includes reports whether a deny or ask pattern certainly matches all that another pattern
// matches.
func includes(key, outer, inner string) bool {
	compile := pattern.Path
	switch key {
	case "bash":
		return includesCommands(outer, inner)
	case "":
		compile = pattern.Text
	}
	whole := strings.NewReplacer("/\x00", "/**", "\x00", "")
	outer, inner = pattern.Fold(whole.Replace(outer+"\x00")), pattern.Fold(whole.Replace(inner+"\x00"))
	matches := compile(outer)
	return !slices.ContainsFunc(samples, func(sample *strings.Replacer) bool { return !matches.MatchString(sample.Replace(inner)) })
}

// includesCommands is includes for commands.
func includesCommands(outer, inner string) bool {
	all, err1 := compileBash(Rule{Pattern: outer})
	some, err2 := compileBash(Rule{Pattern: inner})
	if err1 != nil || err2 != nil || some.words[0].star {
		return false
	}
	return !slices.ContainsFunc(samples, func(sample *strings.Replacer) bool {
		var words []command.Word
		for _, w := range some.words {
			if w.star {
				words = append(words, command.Word{Kind: command.Unknown, Many: true})
			} else {
				words = append(words, command.Of(sample.Replace(w.text)))
			}
		}
		return !all.coversBeginning(words)
	})
}

// syntaxWarning warns of a pattern with a regular expression, or with shell syntax that a command
// could only have in quotes. It returns "" for any other pattern.
func syntaxWarning(p bashPattern) string {
	for _, w := range p.words {
		if shellSyntax().MatchString(w.text) {
			return fmt.Sprintf("%q is text in a pattern, and fits only a command that has it in quotes: a pattern has the words of one command, with * for any words", w.text)
		}
	}
	return ""
}

// shellSyntax is what bash does not leave in a word unless it is quoted, and what is common in
// regular expressions.
var shellSyntax = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("[|&;<>()]+|[\"'`\\\\]|^[#^]|\\$[\\w{]|\\{[^}]*(,|\\.\\.)[^}]*\\}|\\.[*+]|\\$$")
})

// runnerWarning warns of an allow rule whose wildcard covers all that a program may be
// told to do. It returns "" for any other rule.
func runnerWarning(p bashPattern) string {
	name := p.words[0].text
	switch {
	case p.Verdict != Allow:
		return ""
	case len(p.words) == 1 && p.literals == 1 && command.HasSubcommands(name):
		return fmt.Sprintf("this rule allows only %q without arguments; name those that are meant, as in %q", name, name+" COMMAND *")
	case p.literals == len(p.words):
		return ""
	case p.literals == 0:
		return "this rule allows programs that nobody has thought of, because the name of the command is a wildcard"
	case p.literals == 1 && !strings.Contains(p.words[1].prefix, "/"), p.literals == 2 && command.OpensAll(name, p.words[1].text):
		if command.RunsAnything(name) {
			return fmt.Sprintf("this rule also allows all that %s can be told to do; name the arguments that are meant", name)
		}
	}
	return ""
}
