package host

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// unseen warns of what a check could not look at, since it depends on inputs and
// required ones are not given.
func (f *preflight) unseen(at workflows.Position, what string, byInputs bool) {
	if !f.checking || f.options.Inputs != nil || !byInputs {
		return
	}
	var missing []string
	for _, in := range f.Inputs {
		if in.Default == nil && in.Required {
			missing = append(missing, in.Name)
		}
	}
	f.add(at, workflows.SeverityWarning, codeInput, fmt.Sprintf("the %s can't be looked at: it depends on inputs, of which are required and not given: %s", what, strings.Join(missing, ", ")),
		"give the inputs to have all of the file looked at")
}

// codeInput is the code of diagnostics about inputs that are not given.
const codeInput = "input"

// checkNearModel warns of a model that is not known and a letter away from one that
// is. Another number is most likely another version, which flow does not know yet.
func (f *preflight) checkNearModel(named runner.Naming, step *workflows.Step, ref string) {
	if _, own := named.By.Providers[providerOf(ref)]; own || !f.checking {
		return
	}
	if _, known := providers.Lookup(ref); known {
		return
	}
	vendor := providerOf(ref) + "/"
	known := slices.DeleteFunc(providers.KnownModels(), func(other string) bool {
		return !strings.HasPrefix(other, vendor) || withoutNumbers(other) == withoutNumbers(ref)
	})
	if near := nearest.Within(1, ref, known); near != "" {
		f.add(placeOfModel(named, step), workflows.SeverityWarning, codeModel, fmt.Sprintf("flow knows no model %s", ref), fmt.Sprintf("did you mean %q?", near))
	}
}

func withoutNumbers(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r == '.' {
			return -1
		}
		return r
	}, name)
}
