package providers

import (
	_ "embed"
	"encoding/json"
	"strings"
	"sync"
)

// A Price is what a model costs, in USD for a million tokens.
type Price struct {
	Input       float64 `json:"input"`
	Output      float64 `json:"output"`       // reasoning is output
	CachedInput float64 `json:"cached_input"` // 0 is Input: some services charge no less
}

// Prices holds prices by a model's reference (provider/model). They go before
// flow's own table, so the nil map has that table alone.
type Prices map[string]Price

// Cost returns what the given usage of a model costs. It reports false for a
// model whose price is not known: that is never guessed, and never 0. A script
// costs nothing. Writing to a cache is charged as input.
func (p Prices) Cost(ref string, u Usage) (usd float64, known bool) {
	if strings.HasPrefix(ref, "script/") {
		return 0, true
	}
	price, known := p[ref]
	if !known {
		price, known = tablePrice(ref)
	}
	if !known {
		return 0, false
	}
	if price.CachedInput == 0 {
		price.CachedInput = price.Input
	}
	cached := min(u.CachedInputTokens, u.InputTokens)
	million := price.Input*float64(u.InputTokens-cached) +
		price.CachedInput*float64(cached) +
		price.Output*float64(u.OutputTokens)
	return million / 1e6, true
}

// tablePrice looks a model up in flow's own table, under its exact name: what
// one of its dated versions costs is not known from it.
func tablePrice(ref string) (Price, bool) {
	provider, model, _ := strings.Cut(ref, "/")
	if provider != "openai" && provider != "openai-chat" {
		return Price{}, false
	}
	price, known := priceTable()[model]
	return price, known
}

//go:embed prices.json
var priceFile []byte

var priceTable = sync.OnceValue(func() map[string]Price {
	var table struct{ Models map[string]Price }
	if err := json.Unmarshal(priceFile, &table); err != nil {
		panic("providers: prices.json: " + err.Error())
	}
	return table.Models
})
