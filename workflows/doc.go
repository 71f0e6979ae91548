// Package workflows reads the workflow files of flow: bytes in, a checked
// [Workflow] out, or every mistake in the file, each with its place, what was
// expected and the nearest right name.
//
//	w, ds := workflows.Load("docs-gen.yaml", workflows.Options{ReadFile: os.ReadFile})
//	for _, d := range ds {
//		fmt.Fprintln(os.Stderr, d.Render())
//	}
//	if ds.HasErrors() {
//		return ds
//	}
//	inputs, err := w.CheckInputs(map[string]any{"root": "."})
//	text, err := w.Steps[0].Agent.Prompt.Text(workflows.Env{"inputs": inputs})
//
// Expressions are compiled and type-checked when the file is loaded; what they
// need is given as an [Env] when they are evaluated. Nothing is run here: the
// package does no I/O but through [Options.ReadFile], and of flow it imports only
// the rooms below it and leaves that do no I/O either.
//
// Files are hostile until they are read. A file has at most 1 MiB, 1,000
// levels, 10,000 keys in a map and 100,000 values, with its aliases expanded;
// an expression has at most 4 KiB and 500 parts, and its evaluation at most a
// million values and rounds, 64 MiB of text, and five seconds. Beyond these
// there is an error, in bounded time and memory.
//
// Values of this package are read-only once they are returned, and safe for
// concurrent use.
package workflows
