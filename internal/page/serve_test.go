package page

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/journal/journaltest"
	"github.com/a-seed-11b9befa/flow/steps"
)

// served serves until the test ends, and returns the address without the token.
func served(t *testing.T, s *Server) string {
	t.Helper()
	if s.Token == "" {
		s.Token = NewToken()
	}
	ctx, stop := context.WithCancel(t.Context())
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, listener) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	return "http://" + listener.Addr().String()
}

// entered is a client that has the cookie.
func entered(t *testing.T, address, token string) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &http.Client{Jar: jar}
	r, err := c.Get(address + "/?token=" + url.QueryEscape(token))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK || r.Request.URL.Query().Has("token") {
		t.Fatalf("status %d at %s", r.StatusCode, r.Request.URL)
	}
	return c
}

// runsFolder has one run that waits and one that failed.
func runsFolder(t *testing.T) string {
	t.Helper()
	below := t.TempDir()
	write := func(id string, records ...record) {
		var all strings.Builder
		for _, r := range records {
			all.WriteString(r.line(t))
		}
		journaltest.Write(t, filepath.Join(below, id), all.String())
	}
	write("20261122-100000-abcd", append([]record{started("release", object{"path": "a", "kind": "prompt"}, object{"path": "publish", "kind": "ask", "needs": []string{"a"}})}, append(talk("a", "x", "succeeded"),
		record{"kind": "asked", "unit": "publish~1", "data": object{"text": "Publish?", "choices": []string{"yes", "no"}, "default": "no"}}, ended("waiting", nil))...)...)
	write("20261122-090000-efgh", append(append([]record{started("docs", object{"path": "a", "kind": "prompt"})}, talk("a", "y", "failed")...), ended("failed", nil))...)
	return below
}

// Who has no token, or comes from elsewhere, sees nothing.
func TestServerIsGuarded(t *testing.T) {
	s := &Server{Runs: runsFolder(t), Token: "a token; with \"all\" sorts=of,signs", Control: &Control{Program: "false"}}
	address := served(t, s)
	c := entered(t, address, s.Token)
	const run = "/run/20261122-100000-abcd"
	for name, tt := range map[string]struct {
		method, path string
		change       func(*http.Request)
		nobody       bool
		want         int
	}{
		"a page":                   {path: run, want: 200},
		"the list":                 {path: "/runs", want: 200},
		"without the cookie":       {path: run, nobody: true, want: 403},
		"a wrong token":            {path: run + "?token=another", nobody: true, want: 403},
		"a wrong token, a cookie":  {path: run + "?token=another", want: 403},
		"the program":              {path: "/page.js", nobody: true, want: 403},
		"another name of the host": {path: run, change: func(r *http.Request) { r.Host = "evil.example" + strings.TrimPrefix(r.Host, "127.0.0.1") }, want: 421},
		"another port":             {path: run, change: func(r *http.Request) { r.Host = "127.0.0.1:1" }, want: 421},
		"localhost":                {path: run, change: func(r *http.Request) { r.Host = "localhost" + strings.TrimPrefix(r.Host, "127.0.0.1") }, want: 200},
		"another origin":           {path: run + "/unit?unit=a", change: func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, want: 403},
		"no origin":                {path: run + "/unit?unit=a", change: func(r *http.Request) { r.Header.Set("Origin", "null") }, want: 403},
		"an order":                 {method: "POST", path: run + "/resume", want: 202},
		"an order of nobody":       {method: "POST", path: run + "/resume", change: func(r *http.Request) { r.Header.Del("Origin") }, want: 403},
		"an order from elsewhere":  {method: "POST", path: run + "/resume", change: func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") }, want: 403},
		"an order of a form":       {method: "POST", path: run + "/resume", change: func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, want: 403},
		"an order by a link":       {path: run + "/resume", want: 405},
		"a run elsewhere":          {path: "/run/..%2f..%2fetc", want: 404},
		"a unit that is none":      {path: run + "/unit?unit=../x", want: 400},
		"a unit":                   {path: run + "/unit?unit=a", want: 200},
		"a unit that is not there": {path: run + "/unit?unit=zz", want: 404},
		"another file":             {path: "/journal.jsonl", want: 404},
	} {
		t.Run(name, func(t *testing.T) {
			method := tt.method
			if method == "" {
				method = "GET"
			}
			r, err := http.NewRequest(method, address+tt.path, strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			if method == "POST" {
				r.Header.Set("Origin", address)
				r.Header.Set("Content-Type", "application/json")
			}
			if tt.change != nil {
				tt.change(r)
			}
			client := http.DefaultClient
			if !tt.nobody {
				client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
				at, _ := url.Parse(address)
				for _, cookie := range c.Jar.Cookies(at) {
					r.AddCookie(cookie)
				}
			}
			got, err := client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer got.Body.Close()
			body, _ := io.ReadAll(got.Body)
			if got.StatusCode != tt.want {
				t.Errorf("%s %s: status %d, want %d\n%s", method, tt.path, got.StatusCode, tt.want, body)
			}
			if p := got.Header.Get("Content-Security-Policy"); !strings.HasPrefix(p, "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';") {
				t.Errorf("the policy is %q", p)
			}
		})
	}
}

func TestCookie(t *testing.T) {
	s := &Server{Runs: runsFolder(t), Token: NewToken()}
	address := served(t, s)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r, err := client.Get(address + "//evil.example/x?token=" + s.Token)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	cookie := r.Header.Get("Set-Cookie")
	if !strings.HasSuffix(cookie, "; Path=/; HttpOnly; SameSite=Strict") || strings.Contains(cookie, s.Token) || r.Header.Get("Location") != "/evil.example/x" {
		t.Errorf("cookie %q, to %q", cookie, r.Header.Get("Location"))
	}
}

// Without --control nothing is touched.
func TestServerLooksOnly(t *testing.T) {
	s := &Server{Runs: runsFolder(t)}
	address := served(t, s)
	c := entered(t, address, s.Token)
	r, err := http.NewRequest("POST", address+"/run/20261122-100000-abcd/resume", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Origin", address)
	r.Header.Set("Content-Type", "application/json")
	got, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	if got.StatusCode != http.StatusNotFound {
		t.Errorf("status %d", got.StatusCode)
	}
}

// What has changed is sent, and nothing else.
func TestEventsSendWhatIsNew(t *testing.T) {
	dir := t.TempDir()
	j, err := journal.Create(dir, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	put := func(r journal.Record) {
		t.Helper()
		if err := j.Append(&r); err != nil {
			t.Fatal(err)
		}
	}
	unit := func(text string) journal.Address {
		u, err := journal.ParseAddress(text)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	put(journal.Record{Kind: journal.Run, Version: 1, Data: json.RawMessage(`{"run_id":"r","workflow":{"name":"w"},"steps":[{"path":"a","kind":"run"},{"path":"b","kind":"run"}],"inputs":{},"options":{}}`)})
	put(journal.Record{Kind: journal.Began, Unit: unit("a~1")})
	s := &Server{Dir: dir}
	address := served(t, s)
	c := entered(t, address, s.Token)
	r, err := c.Get(address + "/run/" + filepath.Base(dir) + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	lines := bufio.NewReader(r.Body)
	next := func() (n News) {
		t.Helper()
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if data, is := strings.CutPrefix(line, "data: "); is {
				if err := json.Unmarshal([]byte(data), &n); err != nil {
					t.Fatal(err)
				}
				return n
			}
		}
	}
	if n := next(); !n.Whole || len(n.Units) != 1 || n.Head.Run.State != "running" || n.Units[0].Status != "running" {
		t.Errorf("first %+v", n)
	}
	put(journal.Record{Kind: journal.Ended, Unit: unit("a"), Status: steps.Succeeded, Data: json.RawMessage(`{"unit":"a","kind":"run","status":"succeeded"}`)})
	put(journal.Record{Kind: journal.Began, Unit: unit("b~1")})
	n := next()
	for len(n.Units) > 0 && n.Units[len(n.Units)-1].Unit != unit("b") { // it may come in two
		n = next()
	}
	if n.Whole {
		t.Errorf("then %+v", n)
	}
	put(journal.Record{Kind: journal.Warned, Data: json.RawMessage(`{"message":"careful"}`)})
	for n = next(); len(n.Head.Warnings) == 0; n = next() {
	}
	for _, u := range n.Units { // that runs on
		if u.Unit != unit("b") {
			t.Errorf("it is sent again: %v", u)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	for n = next(); n.Head.Run.State == "running"; n = next() {
	}
	if n.Head.Run.State != "cut_off" {
		t.Errorf("the state %q", n.Head.Run.State)
	}
}

// An order becomes the flags of flow resume, each in one word; what the run does not wait for is refused.
func TestOrders(t *testing.T) {
	waiting := []Wait{{Address: "publish"}, {Address: "tag:call_1"}}
	waiting[1].Tool = "bash"
	for order, want := range map[string]string{
		`{"answers":[{"address":"publish","value":"--dry-run yes"}]}`:                        "--answer=publish=--dry-run yes",
		`{"answers":[{"address":"publish","value":"yes","comment":"go"}]}`:                   "--answer=publish=yes|--comment=publish=go",
		`{"answers":[{"address":"tag:call_1","allowed":true}]}`:                              "--approve=tag:call_1",
		`{"answers":[{"address":"tag:call_1"},{"address":"publish","value":""}]}`:            "--deny=tag:call_1|--answer=publish=",
		`{"answers":[{"address":"tag:call_1","reason":"not today"}]}`:                        "--deny=tag:call_1=not today",
		`{"answers":[{"address":"all","allowed":true}]}`:                                     `error: the run does not wait for an answer to "all"`,
		`{"answers":[{"address":"publish","allowed":true}]}`:                                 `error: the run does not wait for an answer to "publish"`,
		`{"answers":[{"address":"tag:call_1","value":"x"}]}`:                                 `error: the run does not wait for an answer to "tag:call_1"`,
		`{"answers":[{"address":"--grant","value":"commands"},{"address":"x","value":"y"}]}`: `error: the run does not wait for an answer to "--grant"`,
		`{}`: "",
	} {
		var o Order
		if err := json.Unmarshal([]byte(order), &o); err != nil {
			t.Fatal(err)
		}
		args, err := o.arguments(waiting)
		got := strings.Join(args, "|")
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", order, got, want)
		}
	}
}

// The page of all runs leads to one, which follows it, shows its units and answers its question.
func TestLivePage(t *testing.T) {
	b := chromium(t)
	below := runsFolder(t)
	said := filepath.Join(t.TempDir(), "said")
	program := filepath.Join(t.TempDir(), "flow")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nprintf '%s\\n' \"$@\" >"+said+"\necho 'it went <b>wrong</b>' >&2\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := &Server{Runs: below, Token: NewToken(), Control: &Control{Program: program}}
	address := served(t, s)
	p := b.open(t, address+"/?token="+s.Token, 1280, 900, false)
	p.until(`document.querySelectorAll('.space .row').length === 2 && !location.search`)
	evaluate[any](p, `[...document.querySelectorAll('.chip')].find(c => c.innerText.startsWith('waiting')).click()`)
	p.until(`document.querySelectorAll('.space .row').length === 1`)
	evaluate[any](p, `document.querySelector('.space .row a').click()`)
	p.until(`location.pathname === '/run/20261122-100000-abcd' && document.querySelector('.card.wait h2')?.innerText === 'Waits for 1 answer'`)
	evaluate[any](p, `location.hash = '#a'`)
	p.until(`document.querySelector('.conversation')?.innerText.includes('Turn 1')`)
	if text := evaluate[string](p, `document.querySelector('.answers').innerText`); !strings.Contains(text, "yes") || !strings.Contains(text, "no") {
		t.Errorf("the answers are %q", text)
	}
	if marked := evaluate[string](p, `[...document.querySelectorAll('.card.wait .answers .primary')].map(b => b.innerText).join()`); marked != "no" {
		t.Errorf("%q is marked, want the default", marked)
	}
	evaluate[any](p, `[...document.querySelectorAll('.answers button')].find(b => b.innerText === 'no').click()`)
	p.until(`document.body.innerText.includes('it went <b>wrong</b>')`)
	got, err := os.ReadFile(said)
	if want := "resume\n" + filepath.Join(below, "20261122-100000-abcd") + "\n--output=none\n--quiet\n--no-color\n--answer=publish=no\n"; err != nil || string(got) != want {
		t.Errorf("%v: it ran flow %q, want %q", err, got, want)
	}
	p.quiet(address)
}

// worksIn works in a run until it is interrupted.
func worksIn(dir string) {
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	if _, err := journal.Open(dir, journal.Options{}); err != nil {
		os.Exit(1)
	}
	<-interrupted
	os.Exit(130)
}

// A run that goes on is cancelled once that is confirmed.
func TestCancel(t *testing.T) {
	b := chromium(t)
	dir := writeRun(t, started("docs", object{"path": "a", "kind": "run"}), record{"kind": "began", "unit": "a~1"})
	works := exec.Command(os.Args[0])
	works.Env = append(os.Environ(), "WORKS_IN="+dir)
	if err := works.Start(); err != nil {
		t.Fatal(err)
	}
	defer works.Process.Kill()
	s := &Server{Dir: dir, Token: NewToken(), Control: &Control{Program: "false"}}
	address := served(t, s)
	p := b.open(t, address+"/?token="+s.Token, 1280, 900, false)
	for _, name := range []string{"Cancel", "Really cancel?"} {
		button := `[...document.querySelectorAll('.run button')].find(b => b.innerText === '` + name + `')`
		p.until(button)
		evaluate[any](p, button+`.click()`)
	}
	if err := works.Wait(); works.ProcessState.ExitCode() != 130 {
		t.Errorf("the process ended with %v", err)
	}
	p.until(`document.querySelector('.badge.bad')?.innerText === 'cut off'`)
	p.quiet(address)
}
