package program

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// TestRowsAreWhole: what one field of a row says, another has to know of.
func TestRowsAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, table := range [][]Facts{shellPrograms, filePrograms, textPrograms, projectPrograms} {
		first := func(f Facts) string { return strings.Fields(f.Names)[0] }
		if !slices.IsSortedFunc(table, func(a, b Facts) int { return strings.Compare(first(a), first(b)) }) {
			t.Errorf("the rows from %q on are not sorted", first(table[0]))
		}
		for _, row := range table {
			for _, name := range strings.Fields(row.Names) {
				if seen[name] || strings.ToLower(name) != name || strings.Contains(name, "/") {
					t.Errorf("%q is in two rows, or can't be the name of a program here", name)
				}
				seen[name] = true
			}
			for _, wrong := range row.contradictions() {
				t.Errorf("%s: %s", row.Names, wrong)
			}
		}
	}
}

func (f Facts) contradictions() (out []string) {
	check := func(ok bool, what string) {
		if !ok {
			out = append(out, what)
		}
	}
	names := f.Names
	f.Names = ""
	check(!reflect.ValueOf(f).IsZero(), "it says nothing")
	check(slices.IsSorted(strings.Fields(names)), "its names are not sorted")
	check(f.Runs != Callback || f.Options != nil, "no option takes what it runs")
	check(f.Runs == 0 || f.Wrapper == nil, "it says twice how what it runs is found")
	check(!f.Copies || f.Writes != nil, "it copies and writes nothing")
	check(!f.TargetOption || f.Copies, "it has a target and copies nothing")
	check(f.Trees == nil || f.Writes != nil, "it copies directories and writes nothing")
	check(f.Brings == nil || f.Writes != nil, "it brings files and writes nothing")
	check(!f.SaysWrites || f.Writes != nil || f.Reads != nil, "it says what it writes, and nothing of what that is")
	check(f.Opens == nil || f.Wide != nil, "what comes after an argument is open, but not what it runs")
	runs := f.Wrapper != nil || f.ReadsFolder || f.Tasks || f.Carries != nil || f.RunsInput || slices.Contains([]Runs{ShellScript, Evaluates, SetsTrap, Sources}, f.Runs)
	check(!runs || f.Wide != nil, "it runs others, and nobody is warned of a rule for all its arguments")
	for _, group := range f.Synonyms {
		check(len(group) > 1, "a word is said in one way alone")
	}
	if o := f.Options; o != nil {
		check(!strings.ContainsAny(o.Short, o.Valued) || o.Valued == "", "a letter has a value, and a rule has to spell it")
		dashed := func(name string) bool { return strings.HasPrefix(name, "--") && len(name) > 3 }
		check(!(o.Long + " " + o.Fine).any(func(name string) bool { return !dashed(name) }), "a long option has no dashes")
		check(!o.Flags.any(func(name string) bool { return strings.HasPrefix(name, "-") }), "a flag has dashes")
	}
	if f.Output != nil {
		for _, text := range f.Output.spelled() {
			check(f.Options != nil && f.Options.names(text) != nil, "no rule has to spell "+text+", which names a file that it writes")
		}
	}
	return out
}

// spelled are the options with the file behind them.
func (o OutputOption) spelled() (out []string) {
	for name := range (o.Long + " " + o.Flags).all() {
		out = append(out, "--"+strings.TrimLeft(name, "-"))
	}
	if o.Short != "" {
		out = append(out, "-"+o.Short)
	}
	return out
}

// TestUnknownPrograms: a name that no row has is known to do nothing, and to be
// allowed nothing.
func TestUnknownPrograms(t *testing.T) {
	if known := Named("no-such-program"); !reflect.ValueOf(*known).IsZero() {
		t.Errorf("%+v", *known)
	}
	if got := Named(NameOf(word.Of("/usr/bin/RSYNC"))); !got.Copies || got.Writes == nil {
		t.Errorf("rsync by its path: %+v", *got)
	}
}
