package page

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// A browser is a Chromium that tests drive over a pipe, by its DevTools protocol.
type browser struct {
	in      io.Writer
	mu      sync.Mutex
	last    int
	answers map[int]chan message
	tabs    map[string]*tab // by their sessions
}

type message struct {
	ID      int                       `json:"id,omitempty"`
	Method  string                    `json:"method,omitempty"`
	Session string                    `json:"sessionId,omitempty"`
	Params  json.RawMessage           `json:"params,omitempty"`
	Result  json.RawMessage           `json:"result,omitempty"`
	Error   *struct{ Message string } `json:"error,omitempty"`
}

// A tab is a page in the browser, with what happened in it.
type tab struct {
	t       *testing.T
	b       *browser
	session string
	loaded  chan struct{}

	mu       sync.Mutex
	requests []string // the addresses of all
	problems []string // exceptions, violations of the policy, dialogs
	moved    []string // to where it has navigated
}

// patience is how long the browser is waited for: what it does not do ends a test in words.
const patience = 5 * time.Minute

var shared struct {
	sync.Mutex
	browser *browser
	close   func()
}

func TestMain(m *testing.M) {
	if dir := os.Getenv("WORKS_IN"); dir != "" {
		worksIn(dir)
	}
	code := m.Run()
	if shared.close != nil {
		shared.close()
	}
	os.Exit(code)
}

// chromium returns the browser of all tests. A test is skipped where there is none.
func chromium(t *testing.T) *browser {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.browser == nil {
		shared.browser, shared.close = startChromium(t)
	}
	return shared.browser
}

func startChromium(t *testing.T) (b *browser, stop func()) {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		fmt.Fprintf(os.Stderr, "SKIPPED: %s needs a Chromium, and there is none: apt-get install chromium\n", t.Name())
		t.Skip("there is no Chromium")
	}
	toChild, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, fromChild, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	profile, err := os.MkdirTemp("", "flow-chromium-")
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking", "--remote-debugging-pipe", "--user-data-dir="+profile, "about:blank")
	c.ExtraFiles, c.WaitDelay = []*os.File{toChild, fromChild}, 5*time.Second
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	toChild.Close()
	fromChild.Close()
	b = &browser{in: in, answers: map[int]chan message{}, tabs: map[string]*tab{}}
	done := make(chan struct{})
	go func() { defer close(done); b.read(out) }()
	return b, func() {
		_, _ = b.send("", "Browser.close", nil)
		in.Close()
		_ = c.Wait()
		out.Close()
		<-done
		_ = os.RemoveAll(profile)
	}
}

// read takes messages until the browser ends.
func (b *browser) read(from io.Reader) {
	in := bufio.NewReader(from)
	for {
		text, err := in.ReadBytes(0)
		if err != nil {
			b.mu.Lock()
			for _, waits := range b.answers {
				close(waits)
			}
			b.answers = nil
			b.mu.Unlock()
			return
		}
		var m message
		if json.Unmarshal(text[:len(text)-1], &m) != nil {
			continue
		}
		b.mu.Lock()
		waits, is := b.answers[m.ID], b.tabs[m.Session]
		delete(b.answers, m.ID)
		b.mu.Unlock()
		if waits != nil {
			waits <- m
		} else if is != nil {
			is.observe(m)
		}
	}
}

func (b *browser) send(session, method string, params any) (json.RawMessage, error) {
	data, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	answer := make(chan message, 1)
	b.mu.Lock()
	if b.answers == nil {
		b.mu.Unlock()
		return nil, errors.New("the browser has ended")
	}
	b.last++
	m := message{ID: b.last, Method: method, Session: session, Params: data}
	b.answers[m.ID] = answer
	text, _ := json.Marshal(m)
	_, err = b.in.Write(append(text, 0))
	b.mu.Unlock()
	if err != nil {
		return nil, err
	}
	select {
	case got, open := <-answer:
		if !open {
			return nil, fmt.Errorf("%s: the browser has ended", method)
		}
		if got.Error != nil {
			return nil, fmt.Errorf("%s: %s", method, got.Error.Message)
		}
		return got.Result, nil
	case <-time.After(patience):
		return nil, fmt.Errorf("%s: no answer", method)
	}
}

// open opens an address in a new tab of that size.
func (b *browser) open(t *testing.T, address string, width, height int, dark bool) *tab {
	t.Helper()
	var target struct{ TargetID, SessionID string }
	b.must(t, "", "Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	b.must(t, "", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &target)
	t.Cleanup(func() { _, _ = b.send("", "Target.closeTarget", map[string]any{"targetId": target.TargetID}) })
	is := &tab{t: t, b: b, session: target.SessionID, loaded: make(chan struct{}, 8)}
	b.mu.Lock()
	b.tabs[is.session] = is
	b.mu.Unlock()
	for _, domain := range []string{"Page", "Network", "Runtime", "Log"} {
		is.do(domain+".enable", nil, nil)
	}
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	is.do("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]string{"name": "prefers-color-scheme", "value": scheme}, map[string]string{"name": "prefers-reduced-motion", "value": "reduce"}}}, nil)
	is.do("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
	is.navigate(address)
	return is
}

func (b *browser) must(t *testing.T, session, method string, params, into any) {
	t.Helper()
	result, err := b.send(session, method, params)
	if err == nil && into != nil {
		err = json.Unmarshal(result, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (p *tab) do(method string, params, into any) {
	p.t.Helper()
	if params == nil {
		params = map[string]any{}
	}
	p.b.must(p.t, p.session, method, params, into)
}

func (p *tab) navigate(address string) {
	p.t.Helper()
	p.do("Page.navigate", map[string]any{"url": address}, nil)
	select {
	case <-p.loaded:
	case <-time.After(patience):
		p.t.Fatalf("%s is not loaded", address)
	}
}

// observe notes what happens in the tab.
func (p *tab) observe(m message) {
	var e struct {
		Request          struct{ URL string }
		Frame            struct{ URL string }
		ExceptionDetails json.RawMessage
		Entry            struct{ Level, Text, URL string }
	}
	_ = json.Unmarshal(m.Params, &e)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch m.Method {
	case "Page.loadEventFired":
		select {
		case p.loaded <- struct{}{}:
		default:
		}
	case "Network.requestWillBeSent":
		p.requests = append(p.requests, e.Request.URL)
	case "Page.frameNavigated":
		p.moved = append(p.moved, e.Frame.URL)
	case "Runtime.exceptionThrown":
		p.problems = append(p.problems, string(e.ExceptionDetails))
	case "Log.entryAdded":
		if e.Entry.Level == "error" && !strings.HasSuffix(e.Entry.URL, "/favicon.ico") {
			p.problems = append(p.problems, e.Entry.Text)
		}
	case "Page.javascriptDialogOpening":
		p.problems = append(p.problems, "a dialog: "+string(m.Params))
	}
}

// evaluate returns the value of an expression, waiting for it if it is a promise.
func evaluate[T any](p *tab, expression string) (value T) {
	p.t.Helper()
	var got struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct{ Exception struct{ Description string } }
	}
	p.do("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true}, &got)
	if got.ExceptionDetails != nil {
		p.t.Fatalf("%s: %s", expression, got.ExceptionDetails.Exception.Description)
	}
	if len(got.Result.Value) > 0 {
		if err := json.Unmarshal(got.Result.Value, &value); err != nil {
			p.t.Fatalf("%s: %v", expression, err)
		}
	}
	return value
}

// until waits until a condition holds, also across navigation.
func (p *tab) until(condition string) {
	p.t.Helper()
	expression := "(() => { try { return Boolean(" + condition + "); } catch { return false; } })()"
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		result, err := p.b.send(p.session, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true})
		var got struct{ Result struct{ Value bool } }
		if err == nil && json.Unmarshal(result, &got) == nil && got.Result.Value {
			return
		}
	}
	p.t.Fatalf("%s does not come to hold; the page says\n%s", condition, evaluate[string](p, "document.body.innerText.slice(0, 3000)"))
}

// key presses a key where the focus is.
func (p *tab) key(name string) {
	p.t.Helper()
	text := ""
	if len(name) == 1 {
		text = name
	}
	if name == "Enter" {
		text = "\r"
	}
	codes := map[string]int{"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Home": 36, "End": 35}
	p.do("Input.dispatchKeyEvent", map[string]any{"type": "keyDown", "key": name, "text": text, "windowsVirtualKeyCode": codes[name]}, nil)
	p.do("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": name, "windowsVirtualKeyCode": codes[name]}, nil)
}

// click clicks on the middle of an element, or beside it.
func (p *tab) click(x, y float64) {
	p.t.Helper()
	for _, kind := range []string{"mouseMoved", "mousePressed", "mouseReleased"} {
		p.do("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}, nil)
	}
}

// quiet fails the test if anything ran that should not, was loaded, or navigated.
func (p *tab) quiet(allowed ...string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, problem := range p.problems {
		p.t.Errorf("the browser reports: %s", problem)
	}
	for _, address := range append(p.requests, p.moved...) {
		known := address == "about:blank"
		for _, a := range allowed {
			known = known || strings.HasPrefix(address, a)
		}
		if !known {
			p.t.Errorf("it asked for %s", address)
		}
	}
}
