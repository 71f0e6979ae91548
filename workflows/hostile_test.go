package workflows

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/tree"
)

// hostileFiles are files that are made to take long, or much memory.
func hostileFiles() map[string]string {
	const size = tree.MaxFileBytes / 16
	fill := func(piece string) string { return strings.Repeat(piece, size/len(piece)) }
	steps := "name: x\nsteps:\n"
	var blocks strings.Builder
	for i := 0; blocks.Len()+i < size; i++ {
		blocks.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	var keys strings.Builder
	for i := 0; keys.Len() < size; i++ {
		fmt.Fprintf(&keys, "k%d: 1\n", i)
	}
	var ids strings.Builder
	for i := range 9_000 {
		fmt.Fprintf(&ids, "- {id: s%d, run: 'echo ${{ steps.s%d.text }}'}\n", i, max(0, i-1))
	}
	var anchors strings.Builder
	for i := 0; anchors.Len() < size; i++ {
		fmt.Fprintf(&anchors, "a%d: &a%d [x]\n", i, i)
	}
	var merges strings.Builder
	merges.WriteString("m0: &m0 {a: 1, b: 2, c: 3, d: 4}\n")
	for i := 1; merges.Len() < size; i++ {
		fmt.Fprintf(&merges, "m%d: &m%d {<<: *m%d, x%d: 1}\n", i, i, i-1, i)
	}
	var inputs strings.Builder
	for i := range 10_000 - 1 {
		fmt.Fprintf(&inputs, "  i%d: {type: array, items: {enum: [a%d]}, default: []}\n", i, i)
	}
	var manyMaps strings.Builder
	for manyMaps.Len() < tree.MaxFileBytes-20_000 {
		manyMaps.WriteString("- {" + strings.Repeat("a: 1,", 2_000) + "}\n")
	}
	return map[string]string{
		"open lists":            fill("["),
		"open maps":             fill("{"),
		"open maps with keys":   fill("{a: "),
		"lists in lists":        fill("- "),
		"lists after a block":   "a: |\n  x\nb:\n" + fill("- "),
		"lists after a comment": "a:\n" + fill("- ") + "\n#\n" + fill("- "),
		"keys among comments":   strings.Repeat("  k: 1\n#\n", size/9),
		"maps of many keys":     manyMaps.String(),
		"complex keys":          fill("? "),
		"deep blocks":           blocks.String(),
		"many keys":             keys.String(),
		"many anchors":          anchors.String(),
		"chained merges":        merges.String(),
		"aliases":               "a: &a x\nb: [" + strings.Repeat("*a, ", size/5) + "]\n",
		"quotes":                fill(`"`),
		"single quotes":         fill("'"),
		"anchors alone":         fill("&a "),
		"tags":                  fill("!!str "),
		"block headers":         fill("|\n"),
		"long plain":            "name: " + fill("a "),
		"long folded":           "name: >\n" + fill(" a\n"),
		"colons":                fill(":"),
		"colon lines":           fill(": \n"),
		"documents":             fill("---\n"),
		"directives":            fill("%YAML 1.2\n"),
		"comments":              fill("# x\n"),
		"tabs":                  fill("\t"),
		"NUL":                   fill("\x00"),
		"bad expressions":       steps + "- run: \"" + fill("${{ ( }} ") + "\"\n",
		"open expressions":      steps + "- prompt: >\n    " + fill("${{ ") + "\n",
		"closed expressions":    steps + "- prompt: >\n    ${{ (" + fill("}}") + "\n",
		"many expressions":      steps + "- prompt: >\n    " + fill("${{ 1 }} ") + "\n",
		"many wrong names":      steps + "- prompt: >\n    " + fill("${{ xy }} ") + "\n",
		"quotes in expression":  steps + "- prompt: >\n    ${{ " + fill(`" }} `) + "\n",
		"shell brackets":        steps + "- run: >\n    echo ${{ 1 }} " + strings.Repeat("$(", 30_000) + "\n",
		"shell ifs":             steps + "- run: |\n    echo ${{ 1 }}\n    " + strings.Repeat("if :; then ", 5_000) + "\n",
		"shell braces":          steps + "- run: >\n    echo ${{ 1 }} " + strings.Repeat("${a:-", 10_000) + "\n",
		"shell expressions":     steps + "- run: >\n    echo " + strings.Repeat("${{ 1 }} ", 7_000) + "\n",
		"many steps":            steps + ids.String(),
		"wrong steps":           steps + fill("- x\n"),
		"too many steps":        steps + fill("- {}\n"),
		"short needs":           steps + strings.Repeat("- {id: a, needs: [b, c]}\n", 9_000),
		"schema":                "name: x\ninputs:\n  a: " + strings.Repeat("{items: ", 900) + "{}" + strings.Repeat("}", 900) + "\nsteps: [{run: x}]\n",
		"many inputs":           "name: x\ninputs:\n" + inputs.String() + "steps: [{run: x}]\n",
		"nested groups":         steps + "- " + strings.Repeat("{steps: [", 450) + strings.Repeat("]}", 450) + "\n",
	}
}

// hang is more than anything takes on a machine that is busy with much else.
const hang = 3 * time.Minute

// TestHostile shows that bad input ends in an error, soon.
func TestHostile(t *testing.T) {
	for what, text := range hostileFiles() {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			_, ds := Parse("x.yaml", []byte(text), Options{})
			if took := time.Since(start); took > hang {
				t.Errorf("took %v", took)
			}
			if len(ds.Error()) > 2<<20 {
				t.Errorf("the diagnostics have %d bytes", len(ds.Error()))
			}
		})
	}
}
