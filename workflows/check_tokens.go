package workflows

import (
	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// warnTokens warns of texts with keys and tokens in them: whoever reads the file has
// them. The line is not shown, or logs would have them, too.
func (p *parser) warnTokens(n *tree.Node) {
	for _, item := range n.Items {
		p.warnTokens(item)
	}
	for _, e := range n.Entries {
		p.warnTokens(e.Value)
	}
	if n.Kind == tree.KindString && p.loader.opts.HasToken != nil && p.loader.opts.HasToken(n.Text) {
		d := p.Warnf(n, diagnostic.CodeValue, "this looks like a key or token, which everybody has who reads the file")
		d.Hint, d.Source = "keep it in a variable: secrets: [TOKEN] at the top of the file, and ${{ env.TOKEN }} here", ""
	}
}
