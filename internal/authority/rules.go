package authority

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/net/idna"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// RulesOf returns the rules of a step, which are its own or its agent's, and those of its bounds,
// which have to allow a call, too. Each set includes the rules of the file, but for a catch-all
// that the set replaces. pattern returns how the pattern of a rule is shown.
func RulesOf(w *workflows.Workflow, step *workflows.Step, pattern func(workflows.Rule) string) (rules, bounds []string) {
	sets := step.RuleSets()
	for _, bound := range sets[:len(sets)-1] {
		bounds = append(bounds, merged(w.Permissions, bound, pattern)...)
	}
	return merged(w.Permissions, sets[len(sets)-1], pattern), bounds
}

// merged is the set of a file's rules and a step's.
func merged(file, own workflows.Permissions, pattern func(workflows.Rule) string) []string {
	var all []string
	add := func(tool string, r workflows.Rule) {
		all = append(all, fmt.Sprintf("%s: %s %s", tool, r.Decision, pattern(r)))
	}
	for tool, list := range file {
		for _, r := range list {
			if !catchesAll(r) || !slices.ContainsFunc(own[tool], catchesAll) {
				add(tool, r)
			}
		}
	}
	for tool, list := range own {
		for _, r := range list {
			add(tool, r)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func catchesAll(r workflows.Rule) bool { return r.Pattern == "*" || r.Pattern == "**" }

// FromCaller stands for the model of a step that takes that of the workflow's caller.
const FromCaller = "from the caller"

// models are the models that a step may ask. The value of an expression may be any.
func models(w *workflows.Workflow, named *workflows.Value) (all []string) {
	if named == nil {
		return []string{FromCaller}
	}
	value, static := named.Static()
	if !static {
		return []string{"any"}
	}
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	for _, v := range list {
		ref := fmt.Sprint(v)
		if stands := w.Models[ref]; stands != nil {
			all = append(all, stands...)
			continue
		}
		all = append(all, ref)
	}
	return all
}

// settings lists the settings of a tool's entry that bound it.
func settings(entry workflows.ToolEntry) string {
	grant := ""
	if entry.Runs != nil {
		grant = granted(entry.Runs.Use)
	}
	how := joined(", ", grant, when(entry.MaxCalls > 0, fmt.Sprintf("at most %d calls", entry.MaxCalls)))
	return when(len(entry.With) > 0, " with "+arguments(entry.With)) + when(how != "", " ("+how+")")
}

// granted lists what a used workflow is granted.
func granted(use *workflows.Use) string {
	g := use.Grant
	if g == nil {
		return ""
	}
	return fmt.Sprintf("granted commands %v env %q secrets %q mcp %q addresses %q", g.Commands, g.Env, g.Secrets, g.MCP, g.Addresses)
}

// sandbox lists the settings of a file's sandbox beyond the default. The settings of a used
// workflow only narrow its caller's.
func sandbox(s workflows.Sandbox) string {
	list := func(key string, paths []string) string { return fmt.Sprintf("%s: [%s]", key, quoted(paths...)) }
	narrows := joined(", ", when(s.Required != "", "required: "+string(s.Required)), when(s.Write != nil, list("write", s.Write)), when(s.Offline, "network: none"))
	widens := joined(", ", when(s.Off, "off"), when(s.Landlock, "landlock"), when(s.Partial, "partial"),
		when(len(s.Reveal) > 0, list("reveal", s.Reveal)), when(s.KeepCaches, "caches: keep"))
	return joined(", ", narrows, when(widens != "", "if the caller allows it, too: "+widens))
}

// StopsAfter lists the limits of an agent.
func StopsAfter(s workflows.Stop) string {
	return joined(", ", quantity.Count(s.MaxTurns, "turn"), when(s.MaxToolCalls > 0, quantity.Count(s.MaxToolCalls, "call")), limits(s.MaxTokens, s.MaxCostUSD, s.Timeout))
}

// limits lists limits as they are, without rounding: a lock has them, where no change may go unseen.
func limits(tokens int64, costUSD float64, time time.Duration) string {
	return joined(", ", when(costUSD > 0, fmt.Sprintf("$%v", costUSD)), when(tokens > 0, quantity.Count(tokens, "token")), when(time > 0, quantity.Time(time)))
}

func when(on bool, text string) string {
	if on {
		return text
	}
	return ""
}

// prefixed is a text behind a prefix, if there is one.
func prefixed(prefix, text string) string { return when(text != "", prefix+text) }

// joined joins the parts that are not empty.
func joined(separator string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), separator)
}

// quoted joins the parts of a line. A text with a mark between parts is in quotes, so that nobody reads
// it as several.
func quoted(texts ...string) string {
	texts = slices.Clone(texts)
	for i, text := range texts {
		if strings.Contains(text, ";") || strings.Contains(text, ", ") || strings.Contains(text, "]") {
			texts[i] = strconv.Quote(text)
		}
	}
	return strings.Join(texts, ", ")
}

// sources are the arguments of a command, those with blanks in quotes.
func sources(all []*workflows.Template) string {
	words := make([]string, len(all))
	for i, t := range all {
		if words[i] = t.Source(); strings.ContainsAny(words[i], " \t\n\"'") {
			words[i] = strconv.Quote(words[i])
		}
	}
	return strings.Join(words, " ")
}

// arguments are pinned arguments, as the file has them.
func arguments(with map[string]*workflows.Value) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(with)) {
		parts = append(parts, name+": "+with[name].Source())
	}
	return quoted(parts...)
}

// hostOf is the host of an address; "*" if it is invalid, or known only at run time.
func hostOf(address string) string {
	if strings.Contains(address, "${{") {
		return "*"
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		if u, err = url.Parse("http://" + address); err != nil { // as ollama's may be
			return "*"
		}
	}
	host := strings.ToLower(u.Hostname())
	if strings.ContainsFunc(host, func(r rune) bool { return r > unicode.MaxASCII }) {
		host, _ = idna.Lookup.ToASCII(host) // the name that net/http connects to; "" if it is none
	}
	return cmp.Or(host, "*")
}
