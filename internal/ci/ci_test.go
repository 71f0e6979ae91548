package ci

import (
	"encoding/json"
	"encoding/xml"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/journal/journaltest"
	"github.com/a-seed-11b9befa/flow/runner/view"
)

var update = flag.Bool("update", false, "write the golden files anew")

const secret = "sk-secret-value"

// failing is that of a run in which something failed whose texts are hostile.
func failing(t *testing.T) *Report {
	t.Helper()
	records, err := os.ReadFile("testdata/run.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	journaltest.Write(t, dir, string(records))
	result, err := runner.ReadResult(dir)
	if err != nil {
		t.Fatal(err)
	}
	shown := func() (string, error) {
		past, err := view.ReadPast(dir)
		if err != nil {
			return "", err
		}
		return report.Run(past, ".flow/runs/x"), nil
	}
	r := &Report{Result: result, Shown: shown, Hide: func(s string) string { return strings.ReplaceAll(s, secret, "***") }}
	r.locate([]any{
		map[string]any{"file": "store/store.go", "line": 12, "message": "drops an error | or two\n::error::forged", "severity": "high", "rule": "errors,x", "suggestion": "return it"},
		map[string]any{"file": "store/store.go", "line": 14, "message": "drops an error | or two\n::error::forged", "severity": "high", "rule": "errors,x"},
		map[string]any{"file": "../../etc/passwd", "line": 1, "message": "outside", "severity": "low"},
		map[string]any{"file": "a b.go", "line": 3.0, "end_line": 5.0, "message": "of " + secret},
	}, "/repo/sub", "/repo")
	if len(r.Invalid) > 0 {
		t.Fatal(r.Invalid)
	}
	return r
}

// TestGoldens compares each file with the one that was read and judged once.
func TestGoldens(t *testing.T) {
	for _, test := range []struct {
		file  string
		write func(*Report, io.Writer) error
	}{
		{"summary.md", (*Report).WriteSummary},
		{"junit.xml", (*Report).WriteJUnit},
		{"annotations.txt", (*Report).writeAnnotations},
		{"findings.sarif", func(r *Report, w io.Writer) error { return r.WriteSARIF(w, "v0.2.0") }},
	} {
		t.Run(test.file, func(t *testing.T) {
			var b strings.Builder
			if err := test.write(failing(t), &b); err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", test.file)
			if *update {
				if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), b.String()); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			checkHarmless(t, b.String())
		})
	}
}

// A run that waits has a case for each step, also for those that begin after an answer.
func TestJUnitOfARunThatWaits(t *testing.T) {
	dir := t.TempDir()
	journaltest.Write(t, dir, `{"kind":"run","version":1,"data":{"run_id":"r1","workflow":{"name":"w"},"steps":[{"path":"good","kind":"ask"},{"path":"g","kind":"steps"},{"path":"g/in","kind":"run"}],"inputs":{}}}
{"kind":"began","unit":"good~1"}
{"kind":"asked","unit":"good~1","data":{"question":"Good?"}}
`)
	result, err := runner.ReadResult(dir)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := (&Report{Result: result}).WriteJUnit(&b); err != nil {
		t.Fatal(err)
	}
	const want = `    <testcase name="good" classname="w" time="0">
      <skipped message="waiting"></skipped>
    </testcase>
    <testcase name="g" classname="w" time="0">
      <skipped message="not begun"></skipped>
    </testcase>
  </testsuite>`
	if !strings.Contains(b.String(), want) {
		t.Errorf("got\n%s", b.String())
	}
}

// checkHarmless: no secret is told, and no text of the run begins a command of
// the CI system.
func checkHarmless(t *testing.T, text string) {
	t.Helper()
	if strings.Contains(text, secret) {
		t.Error("the secret is told")
	}
	for line := range strings.Lines(text) {
		for _, word := range []string{"::stop-commands", "::add-mask", "::error::", "##["} {
			if strings.HasPrefix(strings.TrimSpace(line), word) {
				t.Errorf("a command of the run's own: %s", line)
			}
		}
	}
	if strings.ContainsRune(text, '\x1b') {
		t.Error("an escape character is told")
	}
}

// TestJUnitIsXML has a reader of XML count what the report says.
func TestJUnitIsXML(t *testing.T) {
	var b strings.Builder
	if err := failing(t).WriteJUnit(&b); err != nil {
		t.Fatal(err)
	}
	var read junitSuites
	if err := xml.Unmarshal([]byte(b.String()), &read); err != nil {
		t.Fatal(err)
	}
	if got := len(read.Suites[0].Cases); got != 5 || read.Tests != 5 || read.Failures != 1 || read.Suites[0].Skipped != 2 {
		t.Errorf("%d cases, %d tests, %d failures, %d skipped; want 5, 5, 1, 2", got, read.Tests, read.Failures, read.Suites[0].Skipped)
	}
}

// TestJUnitFitsItsSchema holds the report of a run against the schema of Jenkins.
func TestJUnitFitsItsSchema(t *testing.T) {
	var b strings.Builder
	if err := failing(t).WriteJUnit(&b); err != nil {
		t.Fatal(err)
	}
	checkSchema(t, b.String())
}

// checkSchema holds a report against what the schema of Jenkins, the strictest of the
// readers, has of elements and attributes (junit-10.xsd).
func checkSchema(t *testing.T, report string) {
	t.Helper()
	within := map[string]string{"": "testsuites", "testsuites": "testsuite", "testsuite": "testcase", "testcase": "failure skipped"}
	attributes := map[string]string{
		"testsuites": "name time tests failures errors", "testsuite": "name tests failures errors group time skipped timestamp hostname id package file log url",
		"testcase": "name time classname group", "failure": "type message", "skipped": "type message",
	}
	seconds := regexp.MustCompile(`^(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?$`)
	around := []string{""}
	for decoder := xml.NewDecoder(strings.NewReader(report)); ; {
		token, err := decoder.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			if parent := around[len(around)-1]; !slices.Contains(strings.Fields(within[parent]), e.Name.Local) {
				t.Errorf("%s is in %q", e.Name.Local, parent)
			}
			around = append(around, e.Name.Local)
			for _, a := range e.Attr {
				if !slices.Contains(strings.Fields(attributes[e.Name.Local]), a.Name.Local) {
					t.Errorf("%s has the attribute %s", e.Name.Local, a.Name.Local)
				}
				if a.Name.Local == "time" && !seconds.MatchString(a.Value) {
					t.Errorf("%s is no time", a.Value)
				}
			}
		case xml.EndElement:
			around = around[:len(around)-1]
		}
	}
}

// TestSARIFFitsItsSchema is skipped without the official schema:
// FLOW_SARIF_SCHEMA names its file.
func TestSARIFFitsItsSchema(t *testing.T) {
	name := os.Getenv("FLOW_SARIF_SCHEMA")
	if name == "" {
		t.Skip("FLOW_SARIF_SCHEMA names no sarif-schema-2.1.0.json")
	}
	schema, err := jsonschema.NewCompiler().Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := failing(t).WriteSARIF(&b, "v0.2.0"); err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Error(err)
	}
}

// TestFingerprintsStay where code above a finding moves it.
func TestFingerprintsStay(t *testing.T) {
	r := failing(t)
	before := fingerprints(t, r)
	for i := range r.Findings {
		r.Findings[i].Line += 10
	}
	if diff := cmp.Diff(before, fingerprints(t, r)); diff != "" {
		t.Error(diff)
	}
	seen := map[string]bool{}
	for _, f := range before {
		if seen[f] {
			t.Errorf("two findings have the fingerprint %s", f)
		}
		seen[f] = true
	}
	if len(seen) != len(r.Findings) {
		t.Errorf("%d fingerprints of %d findings", len(seen), len(r.Findings))
	}
}

func fingerprints(t *testing.T, r *Report) (all []string) {
	t.Helper()
	var b strings.Builder
	var log struct {
		Runs []struct {
			Results []struct {
				Fingerprints map[string]string `json:"partialFingerprints"`
			}
		}
	}
	if err := r.WriteSARIF(&b, ""); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(b.String()), &log); err != nil {
		t.Fatal(err)
	}
	for _, result := range log.Runs[0].Results {
		all = append(all, result.Fingerprints["flowFinding/v1"])
	}
	return all
}

// TestSummaryIsCut at the size that GitHub takes, within no character.
func TestSummaryIsCut(t *testing.T) {
	r := failing(t)
	r.Shown = func() (string, error) { return strings.Repeat("世", 200_000), nil }
	for range 50 {
		r.Result.Outputs = append(r.Result.Outputs, runner.NamedValue{Name: "x", Value: "a\n" + strings.Repeat("世", 10_000)})
	}
	var b strings.Builder
	if err := r.WriteSummary(&b); err != nil {
		t.Fatal(err)
	}
	if b.Len() > maxSummary || !strings.HasSuffix(b.String(), "the rest is in the run's folder.\n") {
		t.Errorf("%d bytes, ending %q", b.Len(), b.String()[b.Len()-50:])
	}
}

// TestAnnotationsAreFew: at most ten of a level, as GitHub shows them.
func TestAnnotationsAreFew(t *testing.T) {
	r := failing(t)
	for range 30 {
		r.Findings = append(r.Findings, runner.Finding{File: "a", Line: 1, End: 1, Severity: "warning", Message: "m"})
	}
	var b strings.Builder
	if err := r.writeAnnotations(&b); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "::warning "); n != maxAnnotations {
		t.Errorf("%d warnings, want %d", n, maxAnnotations)
	}
	if first, _, _ := strings.Cut(b.String(), "\n"); !strings.HasPrefix(first, "::error title=pages[1] ") {
		t.Errorf("the first is %s", first)
	}
}

// TestMasks: each line of a value that is long enough to be one.
func TestMasks(t *testing.T) {
	var b strings.Builder
	if err := writeMasks(&b, []string{"one%secret\nsecond line", "short"}); err != nil {
		t.Fatal(err)
	}
	const want = "::add-mask::one%25secret\n::add-mask::second line\n"
	if b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

// A text of several lines is fenced, whatever fences it has, and cut if it is long.
func TestFenced(t *testing.T) {
	r := failing(t)
	if got, want := r.fenced("# A\n````\n::error::x", 10_000), "> `````\n> # A\n> ````\n> ::error::x\n> `````\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := r.fenced("a\n"+strings.Repeat("é", 20_000), 10_000); len(got) > 30_000 || !strings.HasSuffix(got, "the rest is in the run's folder.\n") {
		t.Errorf("%d bytes, ending %q", len(got), got[len(got)-50:])
	}
}
