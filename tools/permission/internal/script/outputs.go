package script

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// outputs says of the guards on such options what they write.
func (w *walker) outputs(u *Unit, risks []program.Risk, at Cwd) []program.Risk {
	known := program.Named(u.Name)
	option := known.Output
	if option == nil && known.InPlace == nil || u.Words[0].Kind != word.Static {
		return risks
	}
	risks = slices.Clone(risks)
	for i, g := range risks {
		if g.At <= 0 || len(g.Names) == 0 {
			continue
		}
		if known.InPlace != nil {
			if slices.Contains(known.InPlace, g.Names[0]) {
				if outs, certain := w.changedInPlace(u.Words, at); certain {
					u.Outs = append(u.Outs, outs)
					risks[i].Lands = len(u.Outs)
				}
			}
			continue
		}
		file, ok := option.File(u.Words, g)
		if !ok || file.Kind != word.Static || file.Text == "" || strings.ContainsAny(file.Text, "#") {
			continue
		}
		u.Outs = append(u.Outs, nil)
		risks[i].Lands = len(u.Outs)
		if file.Is("/dev/null") || file.Is("/dev/stdout") || file.Is("/dev/stderr") || file.Is("-") {
			continue
		}
		u.Outs[len(u.Outs)-1] = w.filesIn(file, at)
	}
	return risks
}
