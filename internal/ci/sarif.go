package ci

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"

	"github.com/a-seed-11b9befa/flow/runner"
)

// An object is one of the JSON objects of SARIF 2.1.0. The format is that of
// https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html.
type object = map[string]any

// WriteSARIF writes the findings as SARIF 2.1.0. The tool has the name of the workflow, and
// findings without a rule have the rule "finding". A fingerprint depends on file, rule and
// message, not on the line, and so stays the same when code moves; equal findings of a file are
// numbered. If findings may be missing it writes nothing and
// returns an error: a code host would close the alerts that the file lacks.
func (r *Report) WriteSARIF(w io.Writer, version string) error {
	if r.Result.Unfound != "" {
		return fmt.Errorf("not written, because findings may be missing: %s", r.Result.Unfound)
	}
	results, equal, named := []object{}, map[string]int{}, map[string]bool{}
	for _, f := range r.Findings {
		rule := cmp.Or(r.line(f.Rule), "finding")
		named[rule] = true
		text := r.text(f.Message)
		if f.Suggestion != "" {
			text += "\n\n" + r.text(f.Suggestion)
		}
		key := f.File + "\x00" + rule + "\x00" + f.Message
		equal[key]++
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", key, equal[key]))
		results = append(results, object{
			"ruleId": rule, "level": f.Severity, "message": object{"text": text}, "locations": locations(f),
			"partialFingerprints": object{"flowFinding/v1": hex.EncodeToString(sum[:16])},
		})
	}
	rules := []object{}
	for _, rule := range slices.Sorted(maps.Keys(named)) {
		rules = append(rules, object{"id": rule})
	}
	driver := object{"name": cmp.Or(r.line(r.Result.Workflow.Name), "flow"), "version": version, "rules": rules}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(object{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []object{{"tool": object{"driver": driver}, "results": results}},
	})
}

// locations is the location of a finding; none outside the repository.
func locations(f runner.Finding) []object {
	if f.File == "" {
		return []object{}
	}
	place := object{"artifactLocation": object{"uri": (&url.URL{Path: f.File}).EscapedPath()}}
	if f.Line > 0 {
		place["region"] = object{"startLine": f.Line, "endLine": f.End}
	}
	return []object{{"physicalLocation": place}}
}
