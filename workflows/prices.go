package workflows

import (
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/format"
	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
)

// ParsePrices reads a file of prices, by provider/model, as prices in a workflow has them.
func ParsePrices(file string, src []byte) (map[string]Price, Diagnostics) {
	p := newParser(&tree.Report{}, expression.NewGrammar(nil))
	p.root = tree.Read(tree.NewSource(file, string(src)), src, tree.WorkflowLimits(), p.Report)
	if p.root == nil {
		return nil, p.Diagnostics()
	}
	prices, _ := format.MapOf("prices", priceTable().Shape(nil)).Read(p.Reader, p.root)
	for model := range prices {
		p.checkPriced(model, p.root.Key(model))
	}
	return prices, p.Diagnostics()
}

// checkPriced reports a price that is for no model.
func (p *parser) checkPriced(model string, key *tree.Node) {
	if !strings.Contains(model, "/") {
		p.Errorf(key, diagnostic.CodeValue, "a price is for provider/model, not %q", model)
	}
}
