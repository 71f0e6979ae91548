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

// Known is what flow's table says of a model. The zero Known is a model of which
// it says nothing.
type Known struct {
	Context   int64  `json:"context"` // tokens, in and out; 0 is not known
	MaxOutput int64  `json:"output"`  // tokens; 0 is not known
	Price     *Price `json:"price"`   // nil: not known

	Tools            *bool      `json:"tools"`       // it calls them; nil: not known
	StructuredOutput *bool      `json:"structured"`  // it obeys a schema; nil: not known
	Temperature      *bool      `json:"temperature"` // it takes one; nil: not known
	Reasoning        *Reasoning `json:"reasoning"`   // nil: it has none
}

// Reasoning is how a model can be told how much to think. One that can't be told
// has neither efforts nor a budget.
type Reasoning struct {
	Efforts []string `json:"efforts"` // in the vendor's words: none, low, xhigh …
	Budget  bool     `json:"budget"`  // in tokens
	Least   int      `json:"least"`   // of the budget; 0: no bound
	Most    int      `json:"most"`    // of the budget; 0: no bound
}

// Lookup returns what the table says of a model, under its exact name: nothing
// is taken from one of its versions for another. The provider is one that every
// workflow can name, or the name of a vendor; see [VendorAt].
func Lookup(ref string) (known Known, found bool) {
	provider, model, _ := strings.Cut(ref, "/")
	if provider == "openai-chat" {
		provider = "openai"
	}
	known, found = readTable().Vendors[provider].Models[model]
	return known, found
}

// VendorAt returns whose models are asked at a base URL, by its host; "" for a
// host that is not in the table.
func VendorAt(baseURL string) string {
	u, err := url.Parse(baseURL)
	if err != nil {
		return ""
	}
	for name, vendor := range readTable().Vendors {
		if slices.Contains(vendor.Hosts, strings.ToLower(u.Hostname())) {
			return name
		}
	}
	return ""
}

// KnownModels returns the references of the table's models, sorted.
func KnownModels() []string {
	var refs []string
	for name, vendor := range readTable().Vendors {
		for model := range maps.Keys(vendor.Models) {
			refs = append(refs, name+"/"+model)
		}
	}
	slices.Sort(refs)
	return refs
}

// TableDate returns the day of which the table is, as 2006-01-02, and where it is
// from.
func TableDate() (date, source string) { return readTable().Date, readTable().Source }

type table struct {
	Source, Date string
	Vendors      map[string]struct {
		Hosts  []string
		Models map[string]Known
	}
}

// The table is data: a line for each model. See its source and date.
//
//go:embed models.json
var tableFile []byte

var readTable = sync.OnceValue(func() table {
	var t table
	if err := json.Unmarshal(tableFile, &t); err != nil {
		panic("providers: models.json: " + err.Error())
	}
	return t
})
