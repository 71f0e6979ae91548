package workflows

import (
	"fmt"
	"strings"
	"testing"
)

// longFile is a workflow of so many steps, a fourth of them agents.
func longFile(steps int) []byte {
	var b strings.Builder
	b.WriteString("name: long\nmodel: openai/x\ninputs:\n  root: {type: string, default: .}\nsystem: Work in ${{ inputs.root }}.\nsteps:\n")
	for i := range steps {
		switch {
		case i%4 == 0:
			fmt.Fprintf(&b, "  - id: s%d\n    prompt: |\n      Describe ${{ inputs.root }}, number %d.\n    tools: [read]\n    output: {type: object, properties: {page: {type: string}, n: {type: integer}}}\n", i, i)
		case i%4 == 1:
			fmt.Fprintf(&b, "  - id: s%d\n    if: steps.s%d.status == \"succeeded\"\n    run: echo ${{ steps.s%d.output.page }}\n", i, i-1, i-1)
		default:
			fmt.Fprintf(&b, "  - id: s%d\n    run: echo \"${{ steps.s%d.text }}\"\n    timeout: 1m\n", i, i-1)
		}
	}
	return []byte(b.String())
}

func BenchmarkParse(b *testing.B) {
	for _, steps := range []int{10, 100, 1000, 4000} {
		src := longFile(steps)
		b.Run(fmt.Sprintf("%d steps", steps), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				if _, ds := Parse("x.yaml", src, Options{Tools: builtInTools()}); ds.HasErrors() {
					b.Fatal(ds)
				}
			}
		})
	}
}

// recording is a scripted model of so many bytes, as --record writes them.
func recording(size int) string {
	var b strings.Builder
	b.WriteString("steps:\n  a:\n")
	for i := 0; b.Len() < size-4_000; i++ {
		fmt.Fprintf(&b, "    - thinking: \"Look at file %d\"\n      calls:\n        - name: write\n          arguments:\n            filePath: \"docs/%d.md\"\n            content: |\n", i, i)
		b.WriteString(strings.Repeat("              a line of the text of this file that goes on and on\n", 50))
		b.WriteString("      usage:\n        input_tokens: 100\n        output_tokens: 5\n")
	}
	return b.String()
}

// BenchmarkParseScript shows whether time grows with the size alone.
func BenchmarkParseScript(b *testing.B) {
	const turn = "  - text: hello, this is the answer to all that was asked of me in this turn\n" // a file may have so many values only
	for _, size := range []int{1 << 20, 4 << 20, 16 << 20} {
		for what, src := range map[string]string{
			"recording":   recording(size),
			"one text":    "steps:\n  a:\n  - text: |\n" + strings.Repeat("     hello\n", size/12),
			"short turns": "steps:\n  a:\n" + strings.Repeat(turn, size/len(turn)),
		} {
			b.Run(fmt.Sprintf("%s %d MiB", what, size>>20), func(b *testing.B) {
				b.SetBytes(int64(len(src)))
				b.ReportAllocs()
				for b.Loop() {
					if _, ds := ParseScript("x.yaml", []byte(src)); ds.HasErrors() {
						b.Fatal(ds)
					}
				}
			})
		}
	}
}

func BenchmarkTemplate(b *testing.B) {
	w, ds := Parse("x.yaml", []byte("name: x\ninputs: {s: {type: string}}\nsteps: [{run: x}]\noutputs: {o: 'a ${{ inputs.s + \"b\" }} c'}\n"), Options{})
	if ds.HasErrors() {
		b.Fatal(ds)
	}
	env := testEnv()
	for b.Loop() {
		if _, err := w.Outputs[0].Value.Eval(env); err != nil {
			b.Fatal(err)
		}
	}
}
