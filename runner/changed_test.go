package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/google/go-cmp/cmp"
)

// sinceChanged is what has become of units since the files of a run changed last: which
// were kept and which began, in the order of their names.
func sinceChanged(t *testing.T, dir string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var kept, began []string
	for line := range bytes.Lines(data) {
		var r struct {
			Kind, About string
			Changed     bool
			Unit        journal.Address
			Data        struct{ Kind string }
		}
		if json.Unmarshal(line, &r) != nil && r.Kind == "" {
			t.Fatalf("%s", line)
		}
		switch {
		case r.Changed:
			kept, began = nil, nil
		case r.About == "keep":
			kept = append(kept, r.Unit.WithoutAttempts().String())
		case r.Kind == "began" && r.Data.Kind != "" && r.Data.Kind != "uses":
			began = append(began, r.Unit.WithoutAttempts().String())
		}
	}
	slices.Sort(kept)
	slices.Sort(began)
	return "kept " + strings.Join(kept, " ") + "; began " + strings.Join(slices.Compact(began), " ")
}

// Of a run whose files have changed, what succeeded with the same work is kept; the
// rest, and what depends on it, begins anew.
func TestChanged(t *testing.T) {
	const agents = "name: t\nmodel: fake/one\nsteps:\n"
	tests := []struct {
		name, before, after string
		from                []string
		want                string
	}{
		{
			"what refers to another step begins with it, what merely comes after it does not",
			agents + "- {id: a, run: echo 1}\n- {id: b, run: 'echo ${{ steps.a.text }}'}\n- {id: c, run: echo c}\n- {id: d, needs: [b], run: echo d}\n",
			agents + "- {id: a, run: echo 1}\n# other\n- {id: b, run: 'echo ${{ steps.a.text }}'}\n- {id: c, run: echo c}\n- {id: d, needs: [b], run: echo d}\n",
			nil, "kept a b c d; began ", // a comment is none of the work
		},
		{
			"although its own work is the same",
			agents + "- {id: a, run: echo 1}\n- {id: b, run: 'echo ${{ steps.a.text }}'}\n- {id: c, run: echo c}\n- {id: d, needs: [b], run: echo d}\n",
			agents + "- {id: a, run: echo 1; true}\n- {id: b, run: 'echo ${{ steps.a.text }}'}\n- {id: c, run: echo c}\n- {id: d, needs: [b], run: echo d}\n",
			nil, "kept c; began a b d",
		},
		{
			"steps that are new, gone, or called otherwise",
			agents + "- {id: a, run: echo a}\n- {id: b, run: echo b}\n- {id: c, run: echo c}\n",
			agents + "- {id: new, run: echo new}\n- {id: a, run: echo a}\n- {id: see, run: echo c}\n",
			nil, "kept a; began new see",
		},
		{
			"elements are compared with those at the same place in the list",
			agents + "- {id: a, foreach: [x, y, z, z], max_parallel: 1, prompt: 'do ${{ item }}'}\n- {id: b, run: 'echo ${{ len(steps.a.output) }}'}\n",
			agents + "- {id: a, foreach: [x, new, z, x], max_parallel: 1, prompt: 'do ${{ item }}'}\n- {id: b, run: 'echo ${{ len(steps.a.output) }}'}\n",
			nil, "kept a[0] a[2]; began a[1] a[3] b",
		},
		{
			"elements with steps inside",
			agents + "- id: a\n  foreach: [x, y]\n  steps: [{id: one, run: 'echo ${{ item }}'}, {id: two, prompt: 'say ${{ steps.one.text }}'}, {id: three, run: echo}]\n",
			agents + "- id: a\n  foreach: [y, z]\n  steps: [{id: one, run: 'echo ${{ item }}'}, {id: two, prompt: 'say ${{ steps.one.text }}'}, {id: three, run: echo}]\n",
			nil, "kept a[0]/three a[1]/three; began a[0]/one a[0]/two a[1]/one a[1]/two",
		},
		{
			"the rounds after one in which something begins anew begin anew",
			agents + "- id: a\n  until: round > 2\n  steps: [{id: one, run: 'echo ${{ round }}'}, {id: two, run: 'echo ${{ round }}'}]\n",
			agents + "- id: a\n  until: round > 2\n  steps: [{id: one, run: 'echo ${{ round }}'}, {id: two, run: 'echo ${{ round > 1 ? 5 : round }}'}]\n",
			nil, "kept a/one#1 a/one#2 a/two#1; began a/one#3 a/two#2 a/two#3",
		},
		{
			"what is inside of an attempt that was followed by another one is not kept",
			agents + "- id: a\n  retry: {max_attempts: 2, backoff: 1ms}\n  steps: [{id: one, run: echo one; echo x >> n}, {id: two, run: test $(wc -l < n) -ge 2}]\n- {id: b, run: echo b}\n",
			agents + "- id: a\n  retry: {max_attempts: 2, backoff: 1ms}\n  steps: [{id: one, run: echo one; echo x >> n}, {id: two, run: test $(wc -l < n) -ge 2}]\n- {id: b, run: echo c}\n",
			nil, "kept a/one a/two; began b",
		},
		{
			"what did not succeed begins again",
			agents + "- {id: a, run: 'false', on_error: continue}\n- {id: b, run: echo b}\n- {id: c, run: 'false'}\n",
			agents + "- {id: a, run: 'false', on_error: continue}\n- {id: b, run: echo b}\n- {id: c, run: 'true'}\n",
			nil, "kept b; began a c",
		},
		{
			"what is named begins anew, and what depends on it",
			agents + "- {id: a, run: echo a}\n- {id: b, foreach: [x, y], run: 'echo ${{ item }}'}\n- {id: c, run: echo c, needs: [b]}\n- {id: d, run: echo 1}\n",
			agents + "- {id: a, run: echo a}\n- {id: b, foreach: [x, y], run: 'echo ${{ item }}'}\n- {id: c, run: echo c, needs: [b]}\n- {id: d, run: echo 2}\n",
			[]string{"b[1]"}, "kept a b[0]; began b[1] c d",
		},
		{
			"a tool of the workflow's own is part of the work, and so are rules",
			"name: t\nmodel: fake/one\ncustom_tools: {mine: {description: d, run: echo 1}, other: {description: d, run: echo 1}}\nsteps: [{id: a, tools: [mine], prompt: a}, {id: b, tools: [other], prompt: b}, {id: c, prompt: c, tools: [read], permissions: {read: allow}}]\n",
			"name: t\nmodel: fake/one\ncustom_tools: {mine: {description: d, run: echo 2}, other: {description: d, run: echo 1}}\nsteps: [{id: a, tools: [mine], prompt: a}, {id: b, tools: [other], prompt: b}, {id: c, prompt: c, tools: [read], permissions: {read: deny}}]\n",
			nil, "kept b; began a c",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tr := newTrial(t)
			tr.answer = func(_ context.Context, req providers.Request) (providers.Message, error) {
				return says("did " + req.Prompt), nil
			}
			tr.run(test.before)
			tr.change = func(o *Options) {
				o.Resume = &Resumption{Changed: true}
				for _, text := range test.from {
					o.Resume.From = append(o.Resume.From, unitOf(t, text))
				}
			}
			tr.run(test.after)
			if got := sinceChanged(t, filepath.Join(tr.dir, "run")); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// With Failed, what succeeded is kept whatever its work is now; what failed, what has another item, and
// what depends on either begins anew.
func TestChangedOnlyFailed(t *testing.T) {
	const agents = "name: t\nmodel: fake/one\nsteps:\n"
	for _, test := range []struct{ name, before, after, want string }{
		{
			"elements with a better prompt",
			agents + "- {id: a, foreach: [x, bad, z], on_error: continue, prompt: 'write ${{ item }}'}\n",
			agents + "- {id: a, foreach: [x, bad, z], on_error: continue, prompt: 'please write ${{ item }}'}\n",
			"kept a[0] a[2]; began a[1]",
		},
		{
			"a longer list, and one of which an item has changed",
			agents + "- {id: a, foreach: [x, bad, z], on_error: continue, prompt: 'write ${{ item }}'}\n",
			agents + "- {id: a, foreach: [x, bad, other, z], on_error: continue, prompt: 'please write ${{ item }}'}\n",
			"kept a[0]; began a[1] a[2] a[3]",
		},
		{
			"steps, and what depends on them",
			agents + "- {id: a, run: echo a}\n- {id: b, prompt: bad}\n- {id: c, run: 'echo ${{ steps.b.text }}'}\n",
			agents + "- {id: a, run: echo other}\n- {id: b, prompt: good}\n- {id: c, run: 'echo ${{ steps.b.text }}'}\n",
			"kept a; began b c",
		},
		{
			"steps inside of elements and rounds",
			agents + "- id: e\n  foreach: [x, y]\n  on_error: continue\n  steps: [{id: one, prompt: 'one ${{ item }}'}, {id: two, prompt: \"${{ item == 'y' ? 'bad' : 'fine' }}\"}]\n",
			agents + "- id: e\n  foreach: [x, y]\n  on_error: continue\n  steps: [{id: one, prompt: 'one better ${{ item }}'}, {id: two, prompt: \"${{ item == 'y' ? 'good' : 'fine' }}\"}]\n",
			"kept e[0]/one e[0]/two e[1]/one; began e[1]/two",
		},
		{
			"items of an outer list",
			agents + "- id: e\n  foreach: [x, y]\n  steps: [{id: in, foreach: [1, 2], prompt: 'say ${{ item }}'}]\n- {id: last, prompt: bad}\n",
			agents + "- id: e\n  foreach: [x, z]\n  steps: [{id: in, foreach: [1, 2], prompt: 'tell ${{ item }}'}]\n- {id: last, prompt: bad}\n",
			"kept e[0]/in[0] e[0]/in[1]; began e[1]/in[0] e[1]/in[1] last",
		},
		{
			"a used workflow with other inputs",
			agents + "- {id: u, uses: used.yaml, with: {what: '1'}}\n- {id: last, prompt: bad}\n",
			agents + "- {id: u, uses: used.yaml, with: {what: '2'}}\n- {id: last, prompt: bad}\n",
			"kept u/inner; began last",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			tr := newTrial(t)
			tr.write("used.yaml", usedByEverything)
			tr.answer = func(_ context.Context, req providers.Request) (providers.Message, error) {
				if strings.Contains(req.Prompt, "bad") {
					return providers.Message{}, &providers.Error{Kind: providers.KindProvider, Message: "bad"}
				}
				return says("did " + req.Prompt), nil
			}
			tr.run(test.before)
			tr.change = func(o *Options) { o.Resume = &Resumption{Changed: true, Failed: true} }
			tr.run(test.after)
			run := filepath.Join(tr.dir, "run")
			if got := sinceChanged(t, run); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}

			// So it is where a process after that one goes on.
			tr.change = func(o *Options) { o.Dir, o.Resume = cutTo(t, run, strings.Count(read(t, run), "\n")-1), &Resumption{} }
			if _, err := tr.try(test.after); err != nil {
				t.Error(err)
			}
		})
	}
}

// Files that change again and again: what succeeded last in its place is kept, also
// where the run was cut off meanwhile.
func TestChangedTwice(t *testing.T) {
	const (
		one = "name: t\nsteps: [{id: a, run: echo a}, {id: b, run: echo b}, {id: c, needs: [b], run: 'echo c; test -e go'}, {id: d, run: echo d}]\n"
		two = "name: t\nsteps: [{id: a, run: echo other}, {id: b, run: echo b}, {id: c, needs: [b], run: 'echo c; test -e go'}, {id: d, run: echo e}]\n"
	)
	tr := newTrial(t)
	run := filepath.Join(tr.dir, "run")
	tr.run(one)
	tr.change = func(o *Options) { o.Resume = &Resumption{Changed: true} }
	tr.run(two)
	if got, want := sinceChanged(t, run), "kept b; began a c"; got != want {
		t.Errorf("changed: %s, want %s", got, want)
	}
	tr.write("go", "")
	tr.run(one)
	if got, want := sinceChanged(t, run), "kept b; began a c d"; got != want {
		t.Errorf("changed back: %s, want %s", got, want)
	}
	tr.run(one)
	if got, want := sinceChanged(t, run), "kept a b c d; began "; got != want {
		t.Errorf("not changed: %s, want %s", got, want)
	}
}

// What is once is not begun a second time for a changed file, unless it is named.
func TestChangedOnce(t *testing.T) {
	const before = "name: t\nsteps: [{id: a, once: true, run: echo a >> said}, {id: b, foreach: [x, y], once: true, run: 'echo ${{ item }} >> said'}]\n"
	for _, test := range []struct{ after, from, want string }{
		{before, "", "a=succeeded b=succeeded"},
		{strings.Replace(before, "echo a", "echo changed", 1), "", "a=failed b=skipped"},
		{strings.Replace(before, "echo a", "echo changed", 1), "a", "a=succeeded b=succeeded"},
		{strings.Replace(before, "[x, y]", "[new, y]", 1), "", "a=succeeded b=failed"},     // another element, in place of x
		{strings.Replace(before, "[x, y]", "[x, y, z]", 1), "", "a=succeeded b=succeeded"}, // one more
	} {
		tr := newTrial(t)
		tr.run(before)
		tr.change = func(o *Options) {
			o.Resume = &Resumption{Changed: true}
			if test.from != "" {
				o.Resume.From = []journal.Address{unitOf(t, test.from)}
			}
		}
		r := tr.run(test.after)
		said := strings.Split(tr.file("said"), "\n")
		if got := statuses(r); got != test.want || len(said) != len(slices.Compact(slices.Sorted(slices.Values(said)))) {
			t.Errorf("%s: got %s, want %s; %q", test.after, got, test.want, said)
		}
	}
}

// A model that the options name is no difference, and another one of the file is.
func TestChangedModel(t *testing.T) {
	const before, after = "name: t\nmodel: fake/one\nsteps: [{id: a, prompt: a}]\n", "name: t\nmodel: fake/two\nsteps: [{id: a, prompt: a}]\n"
	for _, test := range []struct{ first, then, want string }{
		{"", "", "kept ; began a"},
		{"fake/three", "", "kept a; began "},
		{"", "fake/three", "kept a; began "},
	} {
		tr := newTrial(t)
		tr.answer = func(context.Context, providers.Request) (providers.Message, error) { return says("hi"), nil }
		tr.change = func(o *Options) { o.Model = test.first }
		tr.run(before)
		tr.change = func(o *Options) { o.Model, o.Resume = test.then, &Resumption{Changed: true} }
		tr.run(after)
		if got := sinceChanged(t, filepath.Join(tr.dir, "run")); got != test.want {
			t.Errorf("%+v: %s", test, got)
		}
	}
}

// otherwise is everything with changes in all of its parts.
var otherwise = strings.NewReplacer(
	"write ${{ item }} of", "write about ${{ item }} of", // an element's own work
	"[a, b, c, d, e]", "[a, b, c, d, e]",
	"'look ${{ round }}'", "'look ${{ round }}'",
	"foreach: [1, 2], run", "foreach: [2, 3], run", // in a round
	"foreach: [x, y]", "foreach: [y, z]", // elements with steps inside
	`prompt: "shaky"`, `prompt: "shaky, too"`,
).Replace(everything)

// A run whose files were changed, killed after any record and gone on with, comes to
// what a new run of these files would come to.
func TestAChangedRunGoesOnAfterEachRecord(t *testing.T) {
	first := newJourney(t, "")
	first.run(everything)
	run := filepath.Join(first.dir, "run")
	began := strings.Count(first.read(run), "\n")
	change := func(changed bool) func(*Options) {
		set := first.change
		return func(o *Options) {
			set(o)
			o.Resume = &Resumption{Changed: changed}
		}
	}
	first.trial.change = change(true)
	first.run(otherwise)
	fresh := newJourney(t, "")
	fresh.run(otherwise)
	want := comparable(first.resultIn(run))
	if diff := cmp.Diff(comparable(fresh.resultIn(filepath.Join(fresh.dir, "run"))), want); diff != "" {
		t.Errorf("not as a new run (-new +changed):\n%s", diff)
	}
	total, step := strings.Count(first.read(run), "\n"), 3
	if testing.Short() {
		step = 23
	}
	for n := began + 1; n < total; n += step {
		dir := cutTo(t, run, n)
		j := newJourney(t, dir)
		for _, name := range []string{"retried.count", "list.count"} {
			j.write(name, "x\nx\n")
		}
		if _, err := j.try(otherwise); err != nil {
			t.Fatalf("after record %d: %v", n, err)
		}
		got := comparable(strings.ReplaceAll(j.resultIn(dir), "Failed: it was cut off while it ran; whether it took effect is not known. Look before you repeat it.", "noted"))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("after record %d of %d:\n%s", n, total, diff)
		}
	}
}

// comparable is a result without what hangs on how often its units were tried.
func comparable(result string) string {
	var lines []string
	var indented bytes.Buffer
	_ = json.Indent(&indented, []byte(result), "", " ")
	for line := range strings.Lines(indented.String()) {
		if !passingMember.MatchString(line) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

var passingMember = regexp.MustCompile(`^\s*"(attempts|unit|input_tokens|output_tokens|cost_usd|turns|tool_calls|conversation)":`)
