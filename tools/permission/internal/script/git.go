package script

import (
	"slices"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// gitWrites returns the words of git that name files which it writes or takes
// away in the folder that it works on. What a whole branch brings or takes is
// named by no word.
func (w *walker) gitWrites(words []word.Word, at Cwd) []word.Word {
	sub, known := program.GitSubcommand(words)
	if !known || sub == len(words) || words[sub].Kind != word.Static {
		return nil
	}
	operands, _ := program.SplitOperands(words[sub:], false)
	switch words[sub].Text {
	case "clone", "init":
		return program.ClonedInto(words)
	case "mv", "restore":
		return operands
	case "rm":
		if slices.ContainsFunc(words[sub:], func(x word.Word) bool { return x.Is("--cached") }) {
			return nil
		}
		return operands
	case "clean":
		if len(operands) == 0 && !slices.ContainsFunc(words[sub:], program.IsDryRun) {
			return []word.Word{word.Of(".")}
		}
		return operands
	case "checkout":
		if i := slices.IndexFunc(words, func(x word.Word) bool { return x.Is("--") }); i >= 0 {
			return words[i+1:]
		}
		if slices.ContainsFunc(words[sub:], func(x word.Word) bool { return x.Is("-b") || x.Is("-B") || x.Is("--orphan") }) {
			return nil
		}
		var files []word.Word
		for i, x := range operands {
			if i > 0 || x.Kind == word.Static && w.exists(x, at) {
				files = append(files, x)
			}
		}
		return files
	case "format-patch":
		if slices.ContainsFunc(words[sub:], func(x word.Word) bool { return x.Is("--stdout") }) {
			return nil
		}
		return []word.Word{word.Of("./0001-x.patch")}
	}
	return nil
}

// exists reports whether a word names something that is there.
func (w *walker) exists(x word.Word, at Cwd) bool {
	return slices.ContainsFunc(w.placesOf(literalPath(x), at), func(p place.Path) bool { return p.Info != nil })
}
