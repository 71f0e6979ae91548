package workflows

import (
	"strings"

	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// ParsePrices reads a file of prices, by provider/model, as prices in a workflow has them.
func ParsePrices(file string, src []byte) (map[string]Price, Diagnostics) {
	r := &tree.Report{}
	p := &parser{Report: r, src: tree.NewSource(file, string(src))}
	if p.root = tree.Read(p.src, src, tree.WorkflowLimits(), r); p.root == nil {
		return nil, r.Diagnostics()
	}
	prices, _ := mapOf("prices", priceTable().shape(zero)).read(p, p.root)
	for model := range prices {
		p.checkPriced(model, p.root.Key(model))
	}
	return prices, r.Diagnostics()
}

// checkPriced reports a price that is for no model.
func (p *parser) checkPriced(model string, key *tree.Node) {
	if !strings.Contains(model, "/") {
		p.Errorf(key, diagnostic.CodeValue, "a price is for provider/model, not %q", model)
	}
}
