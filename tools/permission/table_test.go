package permission

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestRowsAreWhole: what one field of a row says, another has to know of.
func TestRowsAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, table := range [][]facts{shellPrograms, filePrograms, textPrograms, projectPrograms} {
		first := func(f facts) string { return strings.Fields(f.names)[0] }
		if !slices.IsSortedFunc(table, func(a, b facts) int { return strings.Compare(first(a), first(b)) }) {
			t.Errorf("the rows from %q on are not sorted", first(table[0]))
		}
		for _, row := range table {
			for _, name := range strings.Fields(row.names) {
				if seen[name] || strings.ToLower(name) != name || strings.Contains(name, "/") {
					t.Errorf("%q is in two rows, or can't be the name of a program here", name)
				}
				seen[name] = true
			}
			for _, wrong := range row.contradictions() {
				t.Errorf("%s: %s", row.names, wrong)
			}
		}
	}
}

func (f facts) contradictions() (out []string) {
	check := func(ok bool, what string) {
		if !ok {
			out = append(out, what)
		}
	}
	names := f.names
	f.names = ""
	check(!reflect.ValueOf(f).IsZero(), "it says nothing")
	check(slices.IsSorted(strings.Fields(names)), "its names are not sorted")
	check(f.runs != callback || f.options != nil, "no option takes what it runs")
	check(f.runs == 0 || f.wrapper == nil, "it says twice how what it runs is found")
	check(!f.copies || f.writes != 0, "it copies and writes nothing")
	check(!f.targetOption || f.copies, "it has a target and copies nothing")
	check(f.trees == nil || f.writes != 0, "it copies directories and writes nothing")
	check(f.brings == nil || f.writes != 0, "it brings files and writes nothing")
	check(!f.saysWrites || f.writes != 0 || f.reads != nil, "it says what it writes, and nothing of what that is")
	check(f.opens == nil || f.anything != "", "what comes after an argument is open, but not what it runs")
	for _, group := range f.synonyms {
		check(len(group) > 1, "a word is said in one way alone")
	}
	if o := f.options; o != nil {
		check(!strings.ContainsAny(o.short, o.valued) || o.valued == "", "a letter has a value, and a rule has to spell it")
		dashed := func(name string) bool { return strings.HasPrefix(name, "--") && len(name) > 3 }
		check(!slices.ContainsFunc(slices.Concat(o.long, o.fine), func(name string) bool { return !dashed(name) }), "a long option has no dashes")
		check(!slices.ContainsFunc(o.flags, func(name string) bool { return strings.HasPrefix(name, "-") }), "a flag has dashes")
	}
	if f.output != nil {
		for _, text := range f.output.spelled() {
			check(f.options != nil && f.options.names(text) != nil, "no rule has to spell "+text+", which names a file that it writes")
		}
	}
	return out
}

// spelled are the options with the file behind them.
func (o outputOption) spelled() (out []string) {
	for _, name := range slices.Concat(o.long, o.flags) {
		out = append(out, "--"+strings.TrimLeft(name, "-"))
	}
	if o.short != "" {
		out = append(out, "-"+o.short)
	}
	return out
}

// TestUnknownPrograms: a name that no row has is known to do nothing, and to be
// allowed nothing.
func TestUnknownPrograms(t *testing.T) {
	if known := named("no-such-program"); !reflect.ValueOf(*known).IsZero() {
		t.Errorf("%+v", *known)
	}
	if got := named(programName(staticWord("/usr/bin/RSYNC"))); !got.copies || got.writes != lastOperand {
		t.Errorf("rsync by its path: %+v", *got)
	}
}
