package host

import (
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// unseen warns of something that could not be checked, because it depends on inputs and required
// ones are not given.
func (f *preflight) unseen(at workflows.Position, what string, byInputs bool) {
	if !f.checking || f.options.Inputs != nil || !byInputs {
		return
	}
	var missing, given []string
	for _, in := range f.Inputs {
		if in.Default == nil && in.Required {
			missing, given = append(missing, in.Name), append(given, "-i "+in.Name+"=VALUE")
		}
	}
	f.add(at, workflows.SeverityWarning, codeInput, fmt.Sprintf("not checked: the %s; to check it, give the inputs %s", what, strings.Join(missing, ", ")),
		"write "+strings.Join(given, " "))
}

// codeInput is the code of diagnostics about inputs that are not given.
const codeInput = "input"

// checkNearModel warns of an unknown model that is one letter away from a known one. Those that
// the file names were reported when it was loaded.
func (f *preflight) checkNearModel(named runner.Naming, step *workflows.Step, ref string) {
	if _, own := named.By.Providers[providerOf(ref)]; own || !f.checking {
		return
	}
	if named.At != nil {
		if _, static := named.At.Static(); static {
			return
		}
	}
	if _, known := providers.Lookup(ref); known {
		return
	}
	if near := workflows.NearModel(ref, providers.KnownModels()); near != "" {
		f.add(positionOfModel(named, step), workflows.SeverityWarning, diagnostic.CodeModel, fmt.Sprintf("unknown model %s", ref), fmt.Sprintf("did you mean %q?", near))
	}
}
