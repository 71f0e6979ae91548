package providers

import (
	_ "embed"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Known is what flow's table has about a model. The zero Known is a model about which
// nothing is known.
type Known struct {
	Context   int64  `json:"context"` // tokens, in and out; 0: unknown
	MaxOutput int64  `json:"output"`  // tokens; 0: unknown
	Price     *Price `json:"price"`   // nil: unknown

	Tools            *bool      `json:"tools"`       // it can call them; nil: unknown
	StructuredOutput *bool      `json:"structured"`  // it follows a schema; nil: unknown
	Temperature      *bool      `json:"temperature"` // it accepts one; nil: unknown
	Reasoning        *Reasoning `json:"reasoning"`   // nil: it has none

	Modalities []string `json:"modalities,omitempty"` // what it reads: text, image …; nil: unknown
}

// Reasoning is how much a model thinks, and how that is set. A model for which it can't be
// set has neither efforts nor a budget.
type Reasoning struct {
	Efforts []string `json:"efforts"` // in the vendor's words: none, low, xhigh …
	Budget  bool     `json:"budget"`  // in tokens
	Least   int      `json:"least"`   // of the budget; 0: no bound
	Most    int      `json:"most"`    // of the budget; 0: no bound
}

// Lookup returns what the table has about a model, by its exact name: one version says
// nothing about another. The provider is one that every workflow can name, or the name of
// a vendor; see [VendorAt].
func Lookup(ref string) (known Known, found bool) {
	if name, isChat := strings.CutPrefix(ref, "openai-chat/"); isChat {
		ref = "openai/" + name
	}
	line, found := table().models[ref]
	if found {
		readLine(line, &known)
	}
	return known, found
}

// VendorAt returns the vendor of the models at a base URL, by its host; "" for a host that
// is not in the table.
func VendorAt(baseURL string) string {
	u, err := url.Parse(baseURL)
	if err != nil || u.Host == "" {
		return ""
	}
	return table().vendors[strings.ToLower(u.Hostname())]
}

// KnownModels returns the references of the table's models, sorted.
func KnownModels() []string { return slices.Sorted(maps.Keys(table().models)) }

// TableDate returns the date of the table, as 2006-01-02, and its source.
func TableDate() (date, source string) { return table().date, table().source }

// tableFile is the table: a line of JSON with its source, one for each vendor, one for each
// model.
//
//go:embed models.jsonl
var tableFile string

// A modelTable is the table as far as it is read at once. The lines of models, which are decoded when
// they are needed, would take as long as the rest of a small run.
type modelTable struct {
	date, source string
	vendors      map[string]string // by host
	models       map[string]string // their lines, by reference
}

var table = sync.OnceValue(func() modelTable {
	t := modelTable{vendors: map[string]string{}, models: map[string]string{}}
	for line := range strings.Lines(tableFile) {
		if rest, is := strings.CutPrefix(line, `{"model": "`); is {
			ref, _, _ := strings.Cut(rest, `"`)
			t.models[ref] = line
			continue
		}
		var head struct {
			Source, Date, Vendor string
			Hosts                []string
		}
		readLine(line, &head)
		if head.Vendor == "" {
			t.date, t.source = head.Date, head.Source
		}
		for _, host := range head.Hosts {
			t.vendors[host] = head.Vendor
		}
	}
	return t
})

func readLine(line string, into any) {
	if err := json.Unmarshal([]byte(line), into); err != nil {
		panic("providers: models.jsonl: " + line + ": " + err.Error())
	}
}
