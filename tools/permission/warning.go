package permission

import (
	"cmp"
	"fmt"
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
	keys := map[string]bool{}
	for _, layer := range layers {
		for key := range layer {
			keys[key] = true
		}
	}
	var out []Warning
	for key := range keys {
		set := merge(layers, key)
		for _, r := range set.rules {
			if by, ok := overruledBy(key, r, set.rules); ok {
				out = append(out, neverWins(key, r, by))
			}
			p, err := compileBash(r)
			if key != "bash" || err != nil {
				continue
			}
			for _, message := range []string{syntaxWarning(p), runnerWarning(p)} {
				if message != "" {
					out = append(out, Warning{key, r.Pattern, message})
				}
			}
		}
	}
	out = append(out, nameWarnings(layers)...)
	slices.SortFunc(out, func(a, b Warning) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Pattern, b.Pattern), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(out)
}

// neverWins is the warning about a rule that a stricter one overrules.
func neverWins(key string, r, by Rule) Warning {
	return Warning{key, r.Pattern, fmt.Sprintf("this %s has no effect: the rule %q (%s) overrides it", r.Verdict, by.Pattern, by.Verdict)}
}

// nameWarnings returns the rules over tool names that can never win.
func nameWarnings(layers []Rules) (out []Warning) {
	set, err := newToolSet(layers)
	if err != nil || len(set.patterns) > mostCompared {
		return nil
	}
	for _, r := range set.patterns {
		for _, other := range set.patterns {
			if other.Verdict < r.Verdict && includesText(pattern.Text(pattern.Fold(other.key.text)), pattern.Fold(r.key.text)) {
				out = append(out, neverWins(r.key.text, Rule{"*", r.Verdict}, Rule{other.key.text, other.Verdict}))
				break
			}
		}
	}
	return out
}

// mostCompared is how many rules of one kind are compared with each other: each with each takes
// minutes for thousands. Of more rules no warning says which never win.
const mostCompared = 500

// overruledBy returns a stricter rule that matches all that a rule matches.
func overruledBy(key string, r Rule, rules []Rule) (Rule, bool) {
	if len(rules) > mostCompared {
		return Rule{}, false
	}
	for _, other := range rules {
		if other.Verdict < r.Verdict && includes(key, other.Pattern, r.Pattern) {
			return other, true
		}
	}
	return Rule{}, false
}

// includes reports whether a deny or ask pattern certainly matches all that another
// pattern matches.
func includes(key, outer, inner string) bool {
	if outer == inner {
		return true
	}
	if key == "bash" {
		return includesCommands(outer, inner)
	}
	return includesText(pattern.Path(pattern.Fold(wholeFolder(outer))), pattern.Fold(wholeFolder(inner)))
}

// wholeFolder adds ** to a pattern that ends in a slash.
func wholeFolder(pattern string) string {
	if strings.HasSuffix(pattern, "/") {
		return pattern + "**"
	}
	return pattern
}

// samples returns two texts that the pattern matches: one with nothing for its wildcards,
// one with characters that nobody writes. A pattern that matches both includes it.
func samples(pattern string) []string {
	none := strings.NewReplacer("**/", "", "*", "", "?", "\x01")
	many := strings.NewReplacer("**", "\x01/\x01\x01", "*", "\x01\x01\x01", "?", "\x01")
	return []string{none.Replace(pattern), many.Replace(pattern)}
}

// includesText reports whether the first pattern matches all that the second matches.
func includesText(outer *regexp.Regexp, inner string) bool {
	return !slices.ContainsFunc(samples(inner), func(text string) bool { return !outer.MatchString(text) })
}

func includesCommands(outer, inner string) bool {
	o, err1 := compileBash(Rule{Pattern: outer})
	i, err2 := compileBash(Rule{Pattern: inner})
	if err1 != nil || err2 != nil {
		return false
	}
	for n := range 2 {
		var words []command.Word
		for _, pw := range i.words {
			if pw.star {
				words = append(words, command.Word{Kind: command.Unknown, Many: true})
			} else {
				words = append(words, command.Of(samples(pw.text)[n]))
			}
		}
		if words[0].Many || !o.coversBeginning(command.Form{Name: words[0], Args: words[1:]}) {
			return false
		}
	}
	return true
}

// syntaxWarning warns of a pattern with a regular expression, or with shell syntax that a command
// could only have in quotes. It returns "" for any other pattern.
func syntaxWarning(p bashPattern) string {
	for _, w := range p.words {
		if strings.HasPrefix(w.text, "^") || strings.Contains(w.text, ".*") || strings.Contains(w.text, ".+") || strings.HasSuffix(w.text, "$") {
			return fmt.Sprintf("%q reads like a regular expression, and is text: * alone stands for any words, as in \"git log *\"", w.text)
		}
		if found := shellSyntax().FindString(w.text); found != "" {
			return fmt.Sprintf("%q is text in a pattern, and fits only a command that has it in quotes: a pattern has the words of one command, without quotes, variables, operators and redirects", found)
		}
	}
	return ""
}

// shellSyntax is what bash does not leave in a word unless it is quoted.
var shellSyntax = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("[|&;<>()]+|[\"'`\\\\]|^#|\\$[\\w{]|\\{[^}]*(,|\\.\\.)[^}]*\\}")
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
		if does := command.Allows(name); does != "" {
			return fmt.Sprintf("this rule also allows %s; name the arguments that are meant", does)
		}
	}
	return ""
}
