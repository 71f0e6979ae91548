// Package page is the page of a run: written as one file by [Write], and served live by a [Server]. Both
// are the same program in assets, which gets its data as JSON and is allowed nothing else: what models,
// tools and files say reaches the page as text only, and the Content-Security-Policy holds even if a
// check is missing.
package page

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/plan"
	"github.com/a-seed-11b9befa/flow/internal/term"
)

//go:embed assets
var assets embed.FS

// The parts of the page, in their order; put together where the page is first needed.
var (
	script = sync.OnceValue(func() string {
		return joined("uplot.js", "dom.js", "table.js", "timeline.js", "charts.js", "graph.js", "unit.js", "page.js", "live.js")
	})
	style = sync.OnceValue(func() string { return joined("uplot.css", "page.css") + plan.GraphStyle })
)

func joined(names ...string) string {
	var all strings.Builder
	for _, name := range names {
		text, err := assets.ReadFile("assets/" + name)
		if err != nil {
			panic(err) // it is embedded
		}
		all.Write(text)
		all.WriteByte('\n')
	}
	return all.String()
}

// policy is the Content-Security-Policy of the page: nothing but the sources of its own script and style.
func policy(script, style, connect string) string {
	return "default-src 'none'; script-src " + script + "; style-src " + style + "; connect-src " + connect +
		"; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
}

// digest is a source of a policy: exactly this text.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// shell returns the beginning of the page, up to its data: the head is the markup of its style, the graph
// that of the workflow's picture.
func shell(title, head, graph string) string {
	return strings.NewReplacer("{{title}}", html.EscapeString(term.Visible(title)), "{{head}}", head, "{{graph}}", graph).Replace(joined("shell.html"))
}
