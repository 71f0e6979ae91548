package permission

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// outputs says of the guards on such options what they write.
func (w *walker) outputs(u *unit, risks []program.Risk, at cwd) []program.Risk {
	known := program.Named(u.name)
	option := known.Output
	if option == nil && known.InPlace == nil || u.words[0].Kind != word.Static {
		return risks
	}
	risks = slices.Clone(risks)
	for i, g := range risks {
		if g.At <= 0 || len(g.Names) == 0 {
			continue
		}
		if known.InPlace != nil {
			if slices.Contains(known.InPlace, g.Names[0]) {
				if outs, certain := w.changedInPlace(u.words, at); certain {
					u.outs = append(u.outs, outs)
					risks[i].Lands = len(u.outs)
				}
			}
			continue
		}
		file, ok := option.File(u.words, g)
		if !ok || file.Kind != word.Static || file.Text == "" || strings.ContainsAny(file.Text, "#") {
			continue
		}
		u.outs = append(u.outs, nil)
		risks[i].Lands = len(u.outs)
		if file.Is("/dev/null") || file.Is("/dev/stdout") || file.Is("/dev/stderr") || file.Is("-") {
			continue
		}
		u.outs[len(u.outs)-1] = w.filesIn(file, at)
	}
	return risks
}

// landsWell reports whether all that an option writes may be written.
func (j shellJudge) landsWell(u *unit, g program.Risk) bool {
	return g.Lands > 0 && !slices.ContainsFunc(u.outs[g.Lands-1], func(t writeTarget) bool { return j.writing(t).verdict != Allow })
}
