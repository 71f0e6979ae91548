package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/runner/journal/journaltest"
)

// record is a line of a journal.
type record map[string]any

// line writes a record with its kind first, its unit, and its data last.
func (r record) line(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, `{"kind":%q`, r["kind"])
	for _, name := range []string{"unit", "version", "about", "holds", "count", "call", "status", "reason", "label", "until", "used", "data"} {
		value, given := r[name]
		if !given {
			continue
		}
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(value); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, `,%q:%s`, name, strings.TrimSpace(text.String()))
	}
	return b.String() + "}\n"
}

// writeRun writes the journal of a run, and returns its folder.
func writeRun(t *testing.T, records ...record) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "20261122-100000-abcd")
	var all strings.Builder
	for _, r := range records {
		all.WriteString(r.line(t))
	}
	journaltest.Write(t, dir, all.String())
	return dir
}

type object = map[string]any

func started(name string, steps ...object) record {
	return record{"kind": "run", "version": 1, "data": object{"run_id": "20261122-100000-abcd", "workflow": object{"name": name, "file": "flow.yaml", "sha256": "00"}, "steps": steps, "inputs": object{"about": name}, "options": object{}, "budget": object{"cost_usd": 1.5}}}
}

func ended(status string, more object) record {
	data := object{"version": 1, "run_id": "20261122-100000-abcd", "status": status, "workflow": object{"name": "w"}, "started_at": "2026-11-22T10:00:00Z", "finished_at": "2026-11-22T10:01:00Z", "duration_ms": 60000, "inputs": object{}, "outputs": object{}, "usage": object{"input_tokens": 10}, "cost_usd": 0.5, "unpriced_models": []string{}}
	for key, value := range more {
		data[key] = value
	}
	return record{"kind": "end", "status": status, "data": data}
}

// talk is the conversation of a unit, of one turn with a call, a check and a result, in which every
// text is the same.
func talk(unit, text, status string) []record {
	attempt := unit + "~1"
	result := object{"unit": unit, "label": text, "kind": "prompt", "status": status, "text": text, "output": object{text: text}, "turns": 1, "tool_calls": 1, "started_at": "2026-11-22T10:00:00Z", "duration_ms": 5000}
	if status == "failed" {
		result["error"] = object{"kind": "check_failed", "message": text + "\n" + text, "hint": text}
	}
	return []record{
		{"kind": "began", "unit": attempt, "label": text, "data": object{"kind": "prompt", "folder": ".", "agent": object{"models": []string{text}, "system": text, "prompt": text, "checks": []object{{"source": text}}}, "tools": []object{{"name": text}}, "rules": []object{{"folder": ".", "step": object{"bash": []string{text}}}}}},
		{"kind": "said", "unit": attempt, "used": object{"turns": 1, "usage": object{"input_tokens": 90, "output_tokens": 10}, "cost_usd": 0.01}, "data": object{"turn": 1, "message": object{"role": "assistant", "model": text, "blocks": []object{{"type": "thinking", "text": text}, {"type": "text", "text": text}, {"type": "tool_call", "id": "c1", "name": text, "arguments": object{"command": text, text: text}}, {"type": "tool_call", "id": "c2", "name": "read", "arguments": text}}}, "used": []object{{"model": text, "usage": object{"input_tokens": 90, "output_tokens": 10}}}}},
		{"kind": "call", "unit": attempt, "call": "c1", "data": object{"turn": 1, "place": 0, "call_id": "c1", "tool": text, "arguments": object{"command": text}, "rule": text}},
		{"kind": "answer", "unit": attempt, "call": "c1", "status": "succeeded", "used": object{"tool_calls": 1, "truncated_outputs": 1}, "data": object{"turn": 1, "place": 0, "call_id": "c1", "status": "succeeded", "content": text, "truncated": true, "whole": "outputs/one.txt"}},
		{"kind": "answer", "unit": attempt, "call": "c2", "status": "denied", "used": object{"tool_calls": 1}, "data": object{"turn": 1, "tool": "read", "place": 1, "call_id": "c2", "status": "denied", "content": text, "rule": text, "reason": text}},
		{"kind": "warned", "unit": attempt, "data": object{"message": text, "error": text}},
		{"kind": "decided", "unit": attempt, "about": "inner", "data": object{"check": object{"problem": text, "failed": []int{0}}}},
		{"kind": "ended", "unit": unit, "status": status, "reason": map[string]string{"failed": "check_failed"}[status], "data": result},
	}
}

// elements are a foreach with that many, of which every tenth failed.
func elements(n int) []record {
	all := []record{{"kind": "decided", "unit": "pages", "about": "elements", "count": n, "data": object{"items": make([]int, n)}}}
	for i := range n {
		status := "succeeded"
		if i%10 == 3 {
			status = "failed"
		}
		all = append(all, talk(fmt.Sprintf("pages[%d]", i), fmt.Sprintf("src/file%d.go", i), status)...)
	}
	return append(all, record{"kind": "ended", "unit": "pages", "status": "failed", "reason": "check_failed", "data": object{"unit": "pages", "kind": "prompt", "status": "failed", "elements": object{"total": n, "succeeded": n - (n+6)/10, "reasons": object{"check_failed": (n + 6) / 10}}, "started_at": "2026-11-22T10:00:00Z", "duration_ms": 5}})
}

func reported(t *testing.T, dir string, full bool) string {
	t.Helper()
	data, units, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer units.Close()
	var b bytes.Buffer
	if err := Write(&b, data, units, full); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// written writes the report of a run to a file, and returns its address.
func written(t *testing.T, dir string) string {
	t.Helper()
	return save(t, reported(t, dir, false))
}

func save(t *testing.T, html string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(html), 0o600); err != nil {
		t.Fatal(err)
	}
	return "file://" + file
}

func TestDataOfARun(t *testing.T) {
	dir := writeRun(t, append(append([]record{started("docs", object{"path": "list", "kind": "run"}, object{"path": "pages", "kind": "prompt", "needs": []string{"list"}})}, elements(12)...), ended("failed", object{"error": object{"step": "pages", "unit": "pages[3]", "kind": "check_failed", "message": "no"}}))...)
	data, units, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer units.Close()
	if f := data.Run.Failed; f == nil || f.Unit != "pages[3]" || data.Outcome != "failed" || len(data.Next) == 0 {
		t.Errorf("failed first %+v, outcome %q, next %v", f, data.Outcome, data.Next)
	}
	if len(data.Units) != 13 || data.Units[0].Unit.String() != "pages" || data.Units[12].Unit.String() != "pages[11]" {
		t.Fatalf("%d units", len(data.Units))
	}
	one, err := json.Marshal(data.Units[4])
	const want = `{"unit":"pages[3]","label":"src/file3.go","kind":"prompt","status":"failed","reason":"check_failed","begins_ms":26000,"took_ms":7000,"turns":1,"tool_calls":2,"denied_calls":1,"tokens":100,"cost_usd":0.01,"model":"src/file3.go","calls":[[28000,1000,"src/file3.go"],[30000,0,"read","denied"]]}`
	if err != nil || string(one) != want {
		t.Errorf("the unit\n%s, want\n%s", one, want)
	}
	if good := data.Units[3]; good.Turns != 1 || good.Took != 7000 || good.Label != "src/file2.go" {
		t.Errorf("an element that succeeded %+v", good)
	}
	if e := data.Units[0].Elements; e.Of != 12 || e.Failed != 1 || e.Ended != 12 {
		t.Errorf("elements %+v", e)
	}
	if data.Budget.CostUSD != 1.5 || len(data.Models) != 12 || len(data.Spent) != 12 || data.Spent[11][1] != 1200 {
		t.Errorf("budget %v, %d models, spent %v", data.Budget, len(data.Models), data.Spent)
	}
}

// A long text is cut with a note, wherever it is, and what is small beside it stays.
func TestLongFieldsAreCut(t *testing.T) {
	long := strings.Repeat("é", 5_000_000)
	lists := make([]any, 500_000)
	for i := range lists {
		lists[i] = "x"
	}
	data, err := json.Marshal(object{"turn": 7, "content": long, "deep": []any{object{"text": long}, long, long, long, long, long}, "list": lists, "status": "succeeded"})
	if err != nil {
		t.Fatal(err)
	}
	short := cut(data, maxField)
	var got struct {
		Turn            int
		Content, Status string
	}
	if err := json.Unmarshal(short, &got); err != nil || got.Turn != 7 || got.Status != "succeeded" {
		t.Errorf("%v: %d, %q", err, got.Turn, got.Status)
	}
	if len(short) > 2*maxData || len(got.Content) > maxField+100 || !strings.HasSuffix(got.Content, "[9,934,464 more bytes are not on this page]") {
		t.Errorf("%d bytes, of which the text has %d: …%s", len(short), len(got.Content), got.Content[len(got.Content)-60:])
	}
}

// What models say can't end the element that it is in, nor begin one.
func TestJSONStaysInItsElement(t *testing.T) {
	evil := "</script><!--<script>\u2028\u2029]]>"
	dir := writeRun(t, append(append([]record{started(evil, object{"path": "a", "kind": "prompt"})}, talk("a", evil, "failed")...), ended("failed", object{"outputs": object{evil: evil}}))...)
	html := reported(t, dir, false)
	if n := strings.Count(html, "</script>"); n != 3 {
		t.Errorf("%d ends of scripts, want those of the data, the program and a unit", n)
	}
	if strings.Contains(html, "<!--") || strings.Contains(html, "\u2028") {
		t.Error("it has a comment, or the end of a line of JavaScript")
	}
}

// A report of many elements has a bound; what did not succeed is in it.
func TestReportIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("it writes 10,000 elements")
	}
	dir := writeRun(t, append([]record{started("many", object{"path": "pages", "kind": "prompt"})}, elements(10_000)...)...)
	html := reported(t, dir, false)
	if len(html) > 10_000_000 {
		t.Errorf("it has %d bytes", len(html))
	}
	kept := strings.Count(html, `class="unit"`)
	if kept < 1000 || kept > 9000 || !strings.Contains(html, fmt.Sprintf(`"conversations":{"kept":%d,"of":10001}`, kept)) {
		t.Errorf("%d conversations are kept", kept)
	}
	units := map[string]bool{}
	for _, found := range regexp.MustCompile(`"unit":"(pages\[\d+\])~1","label"`).FindAllStringSubmatch(html, -1) {
		units[found[1]] = true
	}
	for i := 3; i < 10_000; i += 10 {
		if unit := fmt.Sprintf("pages[%d]", i); !units[unit] {
			t.Fatalf("%s, which failed, is not in it", unit)
		}
	}
	if n := strings.Count(reported(t, dir, true), `class="unit"`); n != 10_001 {
		t.Errorf("the full report has %d conversations", n)
	}
}

// A unit that was tried very often is in the report with its last attempts.
func TestAttemptsAreBounded(t *testing.T) {
	records := []record{started("often", object{"path": "a", "kind": "run"})}
	for i := range 500 {
		records = append(records, record{"kind": "began", "unit": fmt.Sprintf("a~%d", i+1), "data": object{"kind": "run"}})
	}
	html := reported(t, writeRun(t, records...), true)
	for attempt, there := range map[int]bool{1: false, 399: false, 400: true, 500: true} {
		if strings.Contains(html, fmt.Sprintf(`"unit":"a~%d"`, attempt)) != there {
			t.Errorf("attempt %d: want %v", attempt, there)
		}
	}
}
