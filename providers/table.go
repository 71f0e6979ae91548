package providers

import (
	_ "embed"
	"encoding/json"
	"iter"
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
	if read, is := lookedUp.Load(ref); is { // the price of each answer is looked up
		return read.(Known), true
	}
	line, found := modelLines()[ref]
	if found {
		readLine(line, &known)
		lookedUp.Store(ref, known)
	}
	return known, found
}

// lookedUp caches decoded lines: a [Known] by reference, which is read-only.
var lookedUp sync.Map

// VendorAt returns the vendor of the models at a base URL, by its host; "" for a host that
// is not in the table.
func VendorAt(baseURL string) string {
	u, err := url.Parse(baseURL)
	if err != nil || u.Host == "" {
		return ""
	}
	for line := range tableLines(`{"vendor": `) {
		var vendor struct {
			Vendor string
			Hosts  []string
		}
		readLine(line, &vendor)
		if slices.Contains(vendor.Hosts, strings.ToLower(u.Hostname())) {
			return vendor.Vendor
		}
	}
	return ""
}

// KnownModels returns the references of the table's models, sorted.
func KnownModels() []string { return slices.Clone(modelNames()) }

var modelNames = sync.OnceValue(func() []string { return slices.Sorted(maps.Keys(modelLines())) })

// TableDate returns the date of the table, as 2006-01-02, and its source.
func TableDate() (date, source string) {
	var head struct{ Source, Date string }
	first, _, _ := strings.Cut(tableFile, "\n")
	readLine(first, &head)
	return head.Date, head.Source
}

// tableFile is the table: a line of JSON with its source, one for each vendor, one for each
// model. A line is found by its beginning, and decoded by itself: decoding all of them
// would take as long as the rest of a small run.
//
//go:embed models.jsonl
var tableFile string

// modelLines are the lines of the models, by reference.
var modelLines = sync.OnceValue(func() map[string]string {
	const start = `{"model": "`
	lines := map[string]string{}
	for line := range tableLines(start) {
		ref, _, _ := strings.Cut(line[len(start):], `"`)
		lines[ref] = line
	}
	return lines
})

// tableLines yields the lines that begin with start.
func tableLines(start string) iter.Seq[string] {
	start = "\n" + start
	return func(yield func(string) bool) {
		for rest := tableFile; ; {
			at := strings.Index(rest, start)
			if at < 0 {
				return
			}
			rest = rest[at+1:]
			line, _, _ := strings.Cut(rest, "\n")
			if !yield(line) {
				return
			}
			rest = rest[len(line):]
		}
	}
}

func readLine(line string, into any) {
	if err := json.Unmarshal([]byte(line), into); err != nil {
		panic("providers: models.jsonl: " + line + ": " + err.Error())
	}
}
