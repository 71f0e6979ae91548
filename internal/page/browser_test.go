package page

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

var hostile = []string{
	`<script>window.ran = 1</script>`,
	`</script><script>window.ran = 2</script>`,
	`<img src=x onerror="window.ran = 3"><svg onload="window.ran = 4">`,
	`javascript:window.ran=5`,
	`"><iframe src="https://evil.example/"></iframe><a href="javascript:window.ran=6">x</a>`,
	`{{constructor.constructor("window.ran = 7")()}}${window.ran = 8}`,
	"https://evil.example/a.png\u2028window.ran = 9",
	"\u202egnp.exe\u202c \u2066x\u2069\u200b\u0000\u001b[31m",
	"<!--<script>", `' onclick='window.ran=10`, `url(https://evil.example/b.png)`, "#x", "__proto__",
}

// hostileRun has a text in each of its fields.
func hostileRun(t *testing.T, text string) string {
	t.Helper()
	records := append([]record{started(text, object{"path": "a", "kind": text, "agent": text}, object{"path": "ask", "kind": "ask", "needs": []string{text}})}, talk("a", text, "failed")...)
	return writeRun(t, append(records,
		record{"kind": "warned", "data": object{"message": text}},
		record{"kind": "asked", "unit": "ask~1", "label": text, "data": object{"text": text, "choices": []string{text}, "default": text, "recipe": text}},
		record{"kind": "asked", "unit": "b~1", "call": "c9", "data": object{"call_id": "c9", "tool": text, "arguments": object{text: text}, "rule": text}},
		ended("failed", object{"outputs": object{text: text}, "inputs": object{text: text}, "findings": []string{text}, "error": object{"step": "a", "unit": "a", "kind": text, "message": text, "hint": text}, "unpriced_models": []string{text}}))...)
}

// checkHarmless opens and presses everything on a page with a text in each field.
func checkHarmless(t *testing.T, p *tab, text string) {
	t.Helper()
	p.until(`document.querySelector('.conversation')`)
	got := evaluate[struct {
		Ran      any
		Elements []string
		Links    []string
		Text     string
	}](p, `(async () => {
		for (const d of document.querySelectorAll('details')) d.open = true;
		for (const el of document.querySelectorAll('#page button:not(.copy, .answers *), #page a[href^="#"], #page summary')) { el.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true })); await null; }
		location.hash = '#a';
		await new Promise(done => setTimeout(done, 50));
		return {
			ran: window.ran ?? null, text: document.body.innerText + document.title,
			elements: [...new Set([...document.querySelectorAll('#page *:not(svg.graph)')].map(e => e.localName))].filter(n => ['script', 'img', 'svg', 'iframe', 'object', 'embed', 'style', 'link', 'form', 'base'].includes(n)),
			links: [...document.querySelectorAll('a')].map(a => a.getAttribute('href')).filter(h => !h.startsWith('#') && h !== '/'),
		};
	})()`)
	name := text[:min(len(text), 60)]
	if got.Ran != nil || len(got.Links) > 0 || len(got.Elements) > 0 {
		t.Errorf("%q: it ran: %v; links %v; elements %v", name, got.Ran, got.Links, got.Elements)
	}
	if strings.ContainsAny(got.Text, "\u202e\u2066\u200b\u0000\u001b") {
		t.Errorf("%q: characters that one does not see are shown as they are", name)
	}
}

// Nothing that a run says runs, is loaded or navigates, wherever it stands.
func TestHostileContent(t *testing.T) {
	b := chromium(t)
	for _, text := range append(hostile, strings.Join(hostile, "\n"), strings.Repeat("<b>x", 20_000)) {
		address := written(t, hostileRun(t, text))
		p := b.open(t, address+"#a", 1280, 900, false)
		checkHarmless(t, p, text)
		p.quiet(address)
	}
}

// Nor does it in the live page, or in the list of runs.
func TestHostileContentLive(t *testing.T) {
	b := chromium(t)
	text := strings.Join(hostile, "\n")
	dir := hostileRun(t, text)
	s := &Server{Runs: filepath.Dir(dir), Token: NewToken(), Control: &Control{Program: "false"}}
	address := served(t, s)
	p := b.open(t, address+"/?token="+s.Token, 1280, 900, false)
	p.until(`document.querySelector('.space .row')`)
	if ran := evaluate[any](p, `window.ran ?? null`); ran != nil {
		t.Errorf("in the list it ran: %v", ran)
	}
	p.navigate(address + "/run/" + filepath.Base(dir) + "#a")
	checkHarmless(t, p, text)
	p.quiet(address)
}

// A line of 10 MB is shown as its beginning.
func TestLongLine(t *testing.T) {
	b := chromium(t)
	records := talk("a", "x", "failed")
	records[3]["data"].(object)["content"] = strings.Repeat("<b>x", 2_500_000)
	address := written(t, writeRun(t, append([]record{started("w", object{"path": "a", "kind": "prompt"})}, records...)...))
	p := b.open(t, address+"#a", 1280, 900, false)
	p.until(`document.querySelector('.call.good')?.textContent.includes('more bytes are not on this page')`)
	p.quiet(address)
}

// The policy holds even if a check is missing.
func TestPolicyHolds(t *testing.T) {
	b := chromium(t)
	address := written(t, writeRun(t, append([]record{started("w", object{"path": "a", "kind": "prompt"})}, talk("a", "x", "succeeded")...)...))
	p := b.open(t, address, 1280, 900, false)
	p.until(`document.querySelector('h1')`)
	for name, try := range map[string]string{
		"markup":   `document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.ran=1">')`,
		"a script": `document.body.append(Object.assign(document.createElement('script'), { text: 'window.ran=2' }))`,
		"a string": `setTimeout('window.ran=3', 0)`,
		"a frame":  `document.body.append(Object.assign(document.createElement('iframe'), { srcdoc: '<script>parent.ran=4</script>' }))`,
		"an image": `document.body.append(Object.assign(document.createElement('img'), { src: 'https://evil.example/' }))`,
		"a fetch":  `fetch('https://evil.example/').then(() => { window.ran = 5; }, () => 0)`,
		"an event": `(() => { const a = document.createElement('a'); a.setAttribute('onclick', 'window.ran=6'); document.body.append(a); a.click(); })()`,
		"a link":   `(() => { const a = document.createElement('a'); a.href = 'javascript:window.ran=7'; document.body.append(a); a.click(); })()`,
	} {
		if ran := evaluate[any](p, `(async () => { try { await `+try+`; } catch {} await new Promise(done => setTimeout(done, 30)); return window.ran ?? null; })()`); ran != nil {
			t.Errorf("%s ran: %v", name, ran)
		}
	}
	for _, address := range p.requests {
		if strings.Contains(address, "evil.example") {
			blocked := evaluate[int](p, `performance.getEntriesByType('resource').filter(r => r.name.includes('evil') && r.transferSize > 0).length`)
			if blocked > 0 {
				t.Errorf("it asked for %s", address)
			}
		}
	}
}

// Broken UTF-8, which only another program can have written, is shown as such.
func TestBrokenUTF8(t *testing.T) {
	b := chromium(t)
	dir := writeRun(t, append([]record{started("w", object{"path": "a", "kind": "prompt"})}, talk("a", "BROKEN", "failed")...)...)
	html := strings.ReplaceAll(reported(t, dir, false), "BROKEN", "\xff\xfe</b\xc3")
	if utf8.ValidString(html) {
		t.Fatal("it is valid")
	}
	p := b.open(t, save(t, html)+"#a", 1280, 900, false)
	p.until(`document.querySelector('.conversation')?.innerText.includes('\ufffd')`)
}

// One gets from the failure to its unit, through the table and the timeline, by mouse and keys.
func TestReportIsUsed(t *testing.T) {
	b := chromium(t)
	dir := writeRun(t, append(append([]record{started("docs", object{"path": "pages", "kind": "prompt"})}, elements(400)...), ended("failed", nil))...)
	address := written(t, dir)
	p := b.open(t, address, 1280, 1000, false)
	p.until(`document.querySelector('.card.bad h2')?.innerText.includes('pages[3]')`)
	if n := evaluate[int](p, `document.querySelectorAll('.space .row').length`); n > 60 {
		t.Errorf("the table has %d rows for what one sees of 401", n)
	}
	evaluate[any](p, `document.querySelector('.card a').click()`)
	p.until(`location.hash === '#pages[3]' && document.querySelector('.conversation .call.bad')`)
	text := evaluate[string](p, `document.querySelector('.drawer').innerText`)
	for _, want := range []string{"src/file3.go", "Turn 1", "Prompt", "denied", "Checks failed", "check failed"} {
		if !strings.Contains(text, want) {
			t.Errorf("the unit does not say %q:\n%s", want, text)
		}
	}
	p.key("Escape")
	p.until(`document.querySelector('.drawer').hidden && location.hash === ''`)

	evaluate[any](p, `(() => { const s = document.querySelector('.filters input'); s.value = 'file39'; s.dispatchEvent(new Event('input')); })()`)
	p.until(`document.querySelector('.scroll').getAttribute('aria-rowcount') === '12'`)
	evaluate[any](p, `[...document.querySelectorAll('.chip')].find(c => c.innerText.startsWith('failed')).click()`)
	p.until(`document.querySelector('.scroll').getAttribute('aria-rowcount') === '2'`)
	evaluate[any](p, `[...document.querySelectorAll('.chip')][0].click()`)
	evaluate[any](p, `[...document.querySelectorAll('.head button')].find(c => c.innerText.startsWith('Time')).click(); document.querySelector('.scroll').focus()`)
	p.until(`document.querySelector('[aria-sort=descending]')`)
	p.key("ArrowDown")
	p.key("ArrowDown")
	p.key("Enter")
	p.until(`!document.querySelector('.drawer').hidden && document.querySelector('.drawer h2').innerText === document.querySelectorAll('.space .row')[1].querySelector('a').innerText`)
	p.key("Escape")

	where := evaluate[struct{ X, Y float64 }](p, `(() => { const c = document.querySelector('canvas'); c.focus(); c.scrollIntoView(); const r = c.getBoundingClientRect(); return { x: r.left + r.width * 0.6, y: r.top + 24 + 8 }; })()`)
	p.key("+")
	p.key("ArrowRight")
	p.key("0")
	p.click(where.X, where.Y)
	p.until(`location.hash.startsWith('#pages') && !document.querySelector('.drawer').hidden`)
	p.quiet(address)
}

// Nothing is wider than the screen, light or dark, on a desk or a telephone; and it can be printed.
func TestReportFits(t *testing.T) {
	b := chromium(t)
	address := written(t, writeRun(t, append(append([]record{started(strings.Repeat("long-name", 30), object{"path": "pages", "kind": "prompt"})}, elements(40)...), ended("failed", object{"error": object{"step": "pages", "kind": "check_failed", "message": strings.Repeat("wide", 500)}}))...))
	for _, width := range []int{1280, 400} {
		p := b.open(t, address+"#pages[3]", width, 900, width == 400)
		p.until(`document.querySelector('.conversation') && document.querySelector('.plot canvas')`)
		if wide := evaluate[int](p, `Math.max(document.documentElement.scrollWidth, document.querySelector('.drawer').scrollWidth)`); wide > width {
			t.Errorf("at %d pixels the page is %d wide", width, wide)
		}
		var pdf struct{ Data string }
		if p.do("Page.printToPDF", nil, &pdf); len(pdf.Data) < 10_000 {
			t.Errorf("the print has %d bytes", len(pdf.Data))
		}
		p.quiet(address)
	}
}

// A reader of the screen finds headings, a table with its columns sorted, and names for what can be pressed.
func TestReportHasNames(t *testing.T) {
	b := chromium(t)
	p := b.open(t, written(t, writeRun(t, append([]record{started("docs", object{"path": "pages", "kind": "prompt"})}, elements(40)...)...))+"#pages[3]", 1280, 900, false)
	p.until(`document.querySelector('.conversation')`)
	var tree struct {
		Nodes []struct {
			Ignored    bool
			Role, Name struct{ Value json.RawMessage }
		}
	}
	p.do("Accessibility.getFullAXTree", nil, &tree)
	roles := map[string]int{}
	for _, n := range tree.Nodes {
		role, name := strings.Trim(string(n.Role.Value), `"`), strings.Trim(string(n.Name.Value), `"`)
		if n.Ignored {
			continue
		}
		roles[role]++
		if name == "" && (role == "button" || role == "link" || role == "searchbox" || role == "image" || role == "table" || role == "heading") {
			t.Errorf("a %s has no name", role)
		}
	}
	for _, role := range []string{"main", "heading", "table", "columnheader", "row", "searchbox", "complementary"} {
		if roles[role] == 0 {
			t.Errorf("there is no %s: %v", role, roles)
		}
	}
}

// A page of 10,000 elements has few elements, and its end is reached.
func TestManyElements(t *testing.T) {
	if testing.Short() {
		t.Skip("it writes 10,000 elements")
	}
	b := chromium(t)
	address := written(t, writeRun(t, append([]record{started("many", object{"path": "pages", "kind": "prompt"})}, elements(10_000)...)...))
	p := b.open(t, address, 1280, 900, false)
	p.until(`document.querySelector('.space .row')`)
	t.Logf("the first screen came after %.0f ms", evaluate[float64](p, `performance.getEntriesByName('first-contentful-paint')[0]?.startTime || 0`))
	if n := evaluate[int](p, `document.querySelectorAll('#page *').length`); n > 3000 {
		t.Errorf("the page has %d elements", n)
	}
	evaluate[any](p, `document.querySelector('.scroll').scrollTop = 1e9`)
	p.until(`document.querySelector('.space').innerText.includes('pages[9999]')`)
	evaluate[any](p, `location.hash = '#pages[9993]'`)
	p.until(`document.querySelector('.conversation')`)
	p.quiet(address)
}

// The workflow is a picture, coloured by the states of its steps, which leads to them.
func TestGraph(t *testing.T) {
	b := chromium(t)
	steps := []object{{"path": "list", "kind": "run"}, {"path": "loop", "kind": "steps", "needs": []string{"list"}}, {"path": "loop/test", "kind": "run"}, {"path": "loop/fix", "kind": "prompt", "needs": []string{"test"}}, {"path": "last", "kind": "run", "needs": []string{"loop"}}, {"path": "each", "kind": "steps"}, {"path": "each/in", "kind": "steps"}, {"path": "each/in/do", "kind": "prompt"}}
	records := []record{started("w", steps...), {"kind": "ended", "unit": "list", "status": "succeeded", "data": object{"unit": "list", "status": "succeeded"}}}
	records = append(append(records, talk("loop/fix#1", "x", "failed")...), talk("loop/fix#2", "x", "succeeded")...)
	for unit, status := range map[string]string{"each[0]/in/do#1": "succeeded", "each[1]/in/do#1": "succeeded", "each[1]/in/do#2": "failed", "each[2]/in/do#1": "succeeded"} {
		records = append(records, talk(unit, "x", status)...)
	}
	address := written(t, writeRun(t, records...))
	p := b.open(t, address+"#@workflow", 1280, 900, false)
	p.until(`document.querySelector('.picture svg a')`)
	got := evaluate[map[string]string](p, `Object.fromEntries([...document.querySelectorAll('.picture a')].map(a => [decodeURIComponent(a.getAttribute('href')), a.querySelector('g').getAttribute('class')]))`)
	for step, want := range map[string]string{"#list": "succeeded", "#loop/fix": "succeeded", "#loop/test": "", "#last": "", "#each[1]/in/do#2": "failed"} {
		if state, is := got[step]; !is || state != want {
			t.Errorf("%s is %q, want %q", step, state, want)
		}
	}
	evaluate[any](p, `[...document.querySelectorAll('.picture a')].find(a => a.getAttribute('href').endsWith('fix')).dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))`)
	p.until(`document.querySelector('.drawer h2')?.innerText === 'loop/fix' && document.querySelector('.conversation')`)
	p.quiet(address)
}

// The timeline is zoomed and moved, by keys and by the mouse, and comes back.
func TestTimeline(t *testing.T) {
	b := chromium(t)
	p := b.open(t, written(t, writeRun(t, append([]record{started("docs", object{"path": "pages", "kind": "prompt"})}, elements(40)...)...)), 1280, 1000, false)
	p.until(`document.querySelector('canvas')?.width > 400`)
	drawn := func() string { return evaluate[string](p, `document.querySelector('canvas').toDataURL()`) }
	evaluate[any](p, `document.querySelector('canvas').focus()`)
	whole := drawn()
	was := whole
	mouse := func(events string) {
		evaluate[any](p, `(() => { const c = document.querySelector('canvas'), r = c.getBoundingClientRect(), x = r.left + r.width / 2, y = r.top + 40; `+events+` })()`)
	}
	for name, act := range []func(){
		func() { p.key("+") },
		func() { p.key("ArrowRight") },
		func() {
			mouse(`c.dispatchEvent(new WheelEvent('wheel', { ctrlKey: true, deltaY: -1, clientX: x, clientY: y, cancelable: true }));`)
		},
		func() {
			mouse(`c.setPointerCapture = () => 0; for (const [kind, at] of [['down', x], ['move', x - 80], ['up', x - 80]]) c.dispatchEvent(new PointerEvent('pointer' + kind, { clientX: at, clientY: y }));`)
		},
	} {
		act()
		if now := drawn(); now == was || now == whole {
			t.Errorf("nothing moved at act %d", name)
		} else {
			was = now
		}
	}
	evaluate[any](p, `[...document.querySelectorAll('.tools button')].find(b => b.innerText === 'All').click()`)
	if drawn() != whole {
		t.Error("it does not come back")
	}
}

// The page says what each step and model used, what that came to over time, and which elements differ.
func TestCharts(t *testing.T) {
	b := chromium(t)
	records := []record{started("docs", object{"path": "pages", "kind": "prompt"}), {"kind": "decided", "unit": "pages", "about": "elements", "count": 40, "data": object{"items": make([]int, 40)}}}
	for i := range 40 {
		one := talk(fmt.Sprintf("pages[%d]", i), fmt.Sprintf("file%d.go", i), "succeeded")
		for j := range one {
			if used, is := one[j]["used"].(object); is && used["cost_usd"] != nil {
				used["cost_usd"] = map[int]float64{7: 0.9, 8: 0.00001}[i]
				if i != 7 && i != 8 {
					used["cost_usd"] = 0.010 + float64(i)/10000
				}
				one[j]["data"].(object)["used"] = []object{{"model": "openai/gpt", "usage": object{"input_tokens": 90, "output_tokens": 10}}}
			}
		}
		records = append(records, one...)
	}
	p := b.open(t, written(t, writeRun(t, records...)), 1280, 1000, false)
	p.until(`document.querySelectorAll('.plot canvas').length >= 2`)
	text := evaluate[string](p, `[...document.querySelectorAll('.usage, figcaption, .far')].map(e => e.innerText).join('\n')`)
	for _, want := range []string{"By step", "By model", "openai/gpt", "Cost over time", "of the budget", "2 outliers: file7.go ($0.90), file8.go ($0.000010)"} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("the charts do not say %q:\n%s", want, text)
		}
	}
	evaluate[any](p, `document.querySelector('.far a').click()`)
	p.until(`document.querySelector('.drawer h2')?.innerText === 'pages[7]'`)
}

// Of a truncated output it says where the whole is; what a run waits for stands with the command that answers it.
func TestOutputsAndQuestions(t *testing.T) {
	b := chromium(t)
	dir := writeRun(t, append(append([]record{started("w", object{"path": "a", "kind": "prompt"}, object{"path": "ok", "kind": "ask"})}, talk("a", "x", "succeeded")...),
		record{"kind": "asked", "unit": "ok~1", "data": object{"text": "Publish?", "choices": []string{"yes", "no"}}}, ended("waiting", nil))...)
	p := b.open(t, written(t, dir)+"#a", 1280, 1000, false)
	p.until(`document.querySelector('.conversation')?.textContent.includes("The whole output is in the run's folder: outputs/a.one.txt")`)
	if text := evaluate[string](p, `document.querySelector('.card.wait').innerText`); !strings.Contains(text, "Publish?") || !strings.Contains(text, "flow resume") || !strings.Contains(text, "--answer ok=") {
		t.Errorf("the question: %s", text)
	}
}

// A call that runs a workflow leads to its unit, also behind one with wrong arguments; an answer that is the result is
// shown once; of a foreach that ended, what did not begin is in the table.
func TestCallsLeadToTheirUnits(t *testing.T) {
	b := chromium(t)
	use := func(id string) object {
		return object{"type": "tool_call", "id": id, "name": "rate", "arguments": object{}}
	}
	said := func(blocks ...object) record {
		return record{"kind": "said", "unit": "a~1", "used": object{"turns": 1}, "data": object{"turn": 1, "message": object{"role": "assistant", "blocks": blocks}}}
	}
	answer := func(id, status string) record {
		return record{"kind": "answer", "unit": "a~1", "call": id, "status": status, "data": object{"call_id": id, "place": int(id[1] - '0'), "status": status, "content": "x"}}
	}
	begun := func(id string) record {
		return record{"kind": "call", "unit": "a~1", "call": id, "data": object{"call_id": id, "place": int(id[1] - '0'), "tool": "rate", "arguments": object{}}}
	}
	records := []record{started("w", object{"path": "a", "kind": "prompt"}, object{"path": "a/rate", "kind": "uses"}, object{"path": "f", "kind": "prompt"}),
		{"kind": "began", "unit": "a~1", "data": object{"kind": "prompt", "agent": object{"prompt": "go"}}}, said(use("c0"), use("c1"), use("c2")), answer("c0", "failed"), begun("c1"), begun("c2")}
	records = append(append(records, talk("a/rate[0]", "x", "succeeded")...), talk("a/rate[1]", "y", "succeeded")...)
	records = append(records, answer("c1", "succeeded"), answer("c2", "succeeded"), said(object{"type": "text", "text": "all is well"}),
		record{"kind": "ended", "unit": "a", "status": "succeeded", "data": object{"unit": "a", "status": "succeeded", "text": "all is well"}},
		record{"kind": "decided", "unit": "f", "about": "elements", "count": 3, "data": object{"items": []int{1, 2, 3}}},
		record{"kind": "began", "unit": "f[0]~1"}, record{"kind": "ended", "unit": "f[0]", "status": "succeeded", "data": object{"unit": "f[0]", "status": "succeeded"}},
		record{"kind": "ended", "unit": "f", "status": "stopped", "reason": "budget", "data": object{"unit": "f", "status": "stopped"}})
	address := written(t, writeRun(t, records...))
	p := b.open(t, address+"#a", 1280, 900, false)
	p.until(`document.querySelectorAll('.conversation .call').length === 3`)
	links := evaluate[string](p, `[...document.querySelectorAll('.conversation .call')].map(c => [...c.querySelectorAll('a')].map(a => a.textContent).join()).join(' ')`)
	if links != " a/rate[0] a/rate[1]" {
		t.Errorf("calls lead to %q", links)
	}
	if n := evaluate[int](p, `document.querySelector('.conversation').innerText.split('all is well').length - 1`); n > 2 { // the first line, and the text
		t.Errorf("the answer is shown %d times", n)
	}
	p.key("Escape")
	evaluate[any](p, `[...document.querySelectorAll('.chip')].find(c => c.innerText.startsWith('not begun')).click()`)
	p.until(`[...document.querySelectorAll('.space .row')].map(r => r.querySelector('a').innerText).join() === 'f[1],f[2]'`)
	evaluate[any](p, `location.hash = '#f[2]'`)
	p.until(`document.querySelector('.facts')?.innerText.includes('not begun')`)
	p.quiet(address)
}

// The tile, the choices above the table and the table tell the same numbers; of a long label one sees the end, which differs.
func TestNumbersAgree(t *testing.T) {
	b := chromium(t)
	records := []record{started("docs", object{"path": "pages", "kind": "prompt"}), {"kind": "decided", "unit": "pages", "about": "elements", "count": 10, "data": object{"items": make([]int, 10)}}}
	for i := range 10 {
		status := "succeeded"
		if i == 3 {
			status = "failed"
		}
		records = append(records, talk(fmt.Sprintf("pages[%d]", i), fmt.Sprintf("%spackage%d", strings.Repeat("internal/services/", 9), i), status)...)
	}
	records = append(records, record{"kind": "ended", "unit": "pages", "status": "failed", "data": object{"unit": "pages", "kind": "prompt", "status": "failed", "elements": object{"total": 10, "succeeded": 9}}}, ended("failed", nil))
	address := written(t, writeRun(t, records...))
	for _, width := range []int{1280, 400} {
		p := b.open(t, address, width, 900, false)
		p.until(`document.querySelectorAll('.space .row').length === 11`)
		text := evaluate[string](p, `[...document.querySelectorAll('.tiles > div')].find(d => d.innerText.startsWith('Units')).innerText + [...document.querySelectorAll('.chip')].map(c => c.innerText)`)
		for _, want := range []string{"10", "9 succeeded, 1 failed", "all 10", "failed 1"} {
			if !strings.Contains(text, want) {
				t.Errorf("the page does not say %q: %s", want, text)
			}
		}
		if cut := evaluate[string](p, `[...document.querySelectorAll('.row .label > span:last-child')].filter(e => e.scrollWidth > e.clientWidth + 1 || e.getBoundingClientRect().right > e.closest('[role=cell]').getBoundingClientRect().right + 1).map(e => e.innerText).join()`); cut != "" && width > 800 {
			t.Errorf("%d px: the ends of labels are cut: %s", width, cut)
		}
		evaluate[any](p, `[...document.querySelectorAll('.chip')].find(c => c.innerText.startsWith('failed')).click()`)
		p.until(`document.querySelectorAll('.space .row').length === 1`)
		p.quiet(address)
	}
}
