package ci

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/runner"
)

// The parts of SARIF 2.1.0 that findings need. The format is that of
// https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID string `json:"id"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
		EndLine   int `json:"endLine,omitempty"`
	}
)

// WriteSARIF writes the findings as SARIF 2.1.0. The tool has the name of the workflow, and
// findings without a rule have the rule "finding". A fingerprint depends on file, rule and
// message, not on the line, and so stays the same when code moves; equal findings of a file are
// numbered. If findings may be missing it writes nothing and
// returns an error: a code host would close the alerts that the file lacks.
func (r *Report) WriteSARIF(w io.Writer, version string) error {
	if r.Unfound != "" {
		return fmt.Errorf("not written, because findings may be missing: %s", r.Unfound)
	}
	driver := sarifDriver{Name: cmp.Or(r.line(r.Result.Workflow.Name), "flow"), Version: version, Rules: []sarifRule{}}
	results, seen := make([]sarifResult, 0, len(r.Findings)), map[string]int{}
	for _, f := range r.Findings {
		rule := cmp.Or(r.line(f.Rule), "finding")
		driver.Rules = append(driver.Rules, sarifRule{rule})
		text := r.text(f.Message)
		if f.Suggestion != "" {
			text += "\n\n" + r.text(f.Suggestion)
		}
		key := f.File + "\x00" + rule + "\x00" + f.Message
		seen[key]++
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", key, seen[key]))
		results = append(results, sarifResult{
			RuleID: rule, Level: f.Severity, Message: sarifText{text}, Locations: locations(f),
			Fingerprints: map[string]string{"flowFinding/v1": hex.EncodeToString(sum[:16])},
		})
	}
	slices.SortFunc(driver.Rules, func(a, b sarifRule) int { return strings.Compare(a.ID, b.ID) })
	driver.Rules = slices.Compact(driver.Rules)
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(sarifLog{
		Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0",
		Runs: []sarifRun{{Tool: sarifTool{driver}, Results: results}},
	})
}

// locations is the location of a finding; none outside the repository.
func locations(f runner.Finding) []sarifLocation {
	if f.File == "" {
		return nil
	}
	at := sarifPhysical{Artifact: sarifArtifact{(&url.URL{Path: f.File}).EscapedPath()}}
	if f.Line > 0 {
		at.Region = &sarifRegion{StartLine: f.Line, EndLine: f.End}
	}
	return []sarifLocation{{at}}
}
