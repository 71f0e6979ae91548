package runner

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/runner/journal"
)

// A recordForm is what the page on the journal says of a kind of records.
type recordForm struct{ members, data map[string]bool }

var quoted = regexp.MustCompile("`([a-z_]+)`")

func namesIn(text string) map[string]bool {
	names := map[string]bool{}
	for _, found := range quoted.FindAllStringSubmatch(text, -1) {
		names[found[1]] = true
	}
	return names
}

// recordForms reads the page on the journal.
var recordForms = sync.OnceValues(func() (map[journal.Kind]recordForm, error) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "journal.md"))
	if err != nil {
		return nil, err
	}
	var parts []string
	rest := string(page)
	for _, marker := range []string{"## Records", "In every `decided`", "A result has the fields", "`end` has"} {
		before, after, found := strings.Cut(rest, marker)
		if !found {
			return nil, fmt.Errorf("docs/journal.md says %q no more", marker)
		}
		parts, rest = append(parts, before), after
	}
	table, abouts, results, ends := parts[1], parts[2], parts[3], rest
	forms := map[journal.Kind]recordForm{}
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		kind := quoted.FindStringSubmatch(line)
		if len(cells) < 6 || kind == nil {
			continue
		}
		forms[journal.Kind(kind[1])] = recordForm{namesIn(cells[3]), namesIn(cells[4])}
	}
	for _, kind := range []journal.Kind{journal.Ended, journal.Again} {
		maps.Copy(forms[kind].data, namesIn(results))
	}
	maps.Copy(forms[journal.End].data, namesIn(ends))
	maps.Copy(forms[journal.Decided].data, namesIn(abouts))
	return forms, nil
})

// checkForms checks that the journal has nothing of which the page does not tell.
func (tr *trial) checkForms() {
	tr.t.Helper()
	forms, err := recordForms()
	if err != nil {
		tr.t.Fatal(err)
	}
	reader, err := journal.OpenReader(filepath.Join(tr.dir, "run"))
	if err != nil {
		tr.t.Fatal(err)
	}
	defer reader.Close()
	for r, err := range reader.Records() {
		if err != nil {
			tr.t.Fatal(err)
		}
		form, told := forms[r.Kind]
		head, err := json.Marshal(r)
		if err != nil || !told {
			tr.t.Fatalf("record %d is of the kind %q, %v", r.Seq, r.Kind, err)
		}
		data := reader.Data(r)
		for _, name := range unnamed(head, form.members) {
			if !slices.Contains([]string{"seq", "time", "kind", "unit"}, name) {
				tr.t.Errorf("docs/journal.md does not tell of %s of a record %q", name, r.Kind)
			}
		}
		if r.About == journal.Keep {
			form.data = forms[journal.Ended].data
		}
		for _, name := range unnamed(data, form.data) {
			tr.t.Errorf("docs/journal.md does not tell of %s in the data of a record %q about %q", name, r.Kind, r.About)
		}
	}
}

// unnamed are the names in an object that are not told of; none of anything else.
func unnamed(data []byte, told map[string]bool) (names []string) {
	var object map[string]json.RawMessage
	if json.Unmarshal(data, &object) != nil {
		return nil
	}
	for name := range object {
		if !told[name] {
			names = append(names, name)
		}
	}
	return names
}
