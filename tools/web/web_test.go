package web

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/a-seed-11b9befa/flow/internal/testkit"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/permission"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A site is a server on loopback, spelled as localhost, and a tool under the
// rules of a policy.
type site struct {
	*httptest.Server
	base    string // http://localhost:port
	options Options

	mu      sync.Mutex
	refused []string
	asked   []string // paths that were requested
}

// newSite serves pages. The rules may say BASE for the address of the site.
func newSite(t *testing.T, rules map[string]permission.Verdict, pages http.HandlerFunc) *site {
	t.Helper()
	s := &site{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.URL.Path)
		s.mu.Unlock()
		pages(w, r)
	}))
	t.Cleanup(s.Close)
	at, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	s.base = "http://localhost:" + at.Port()
	var list []permission.Rule
	for pattern, verdict := range rules {
		list = append(list, permission.Rule{Pattern: strings.ReplaceAll(pattern, "BASE", s.base), Verdict: verdict})
	}
	policy, err := permission.New(permission.Config{
		Root: t.TempDir(), Domains: []permission.Domain{{Layers: []permission.Rules{{"webfetch": list}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.options = Options{Judge: judgeBy(policy), Refused: func(message string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.refused = append(s.refused, message)
	}}
	return s
}

func judgeBy(policy *permission.Policy) func(context.Context, string, bool) (string, tools.Decision) {
	return func(_ context.Context, address string, _ bool) (string, tools.Decision) {
		input, _ := json.Marshal(map[string]string{"url": address})
		d := policy.Decide(permission.Call{Tool: "webfetch", Input: input})
		verdict := tools.Deny
		if d.Verdict == permission.Allow {
			verdict = tools.Allow
		}
		return d.Path, tools.Decision{Verdict: verdict, Rule: d.Rule, Reason: d.Reason}
	}
}

// fetch calls the tool and returns what a model would see.
func (s *site) fetch(t *testing.T, arguments string) (text string, failed bool) {
	t.Helper()
	out := tools.NewOutput(tools.OutputOptions{})
	result, err := Fetch(s.options).Run(t.Context(), json.RawMessage(strings.ReplaceAll(arguments, "BASE", s.base)), out)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := out.Close()
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(strings.TrimLeft(shown.Content+"\n"+result.Note, "\n"), s.base, "BASE"), result.Failed
}

var everything = map[string]permission.Verdict{"BASE/**": permission.Allow}

// TestPages has what a server sends and what a model gets.
func TestPages(t *testing.T) {
	cases := []struct {
		name, contentType, body, format string
		want                            string
		failed                          bool
	}{
		{
			"html is Markdown, its links absolute", "text/html; charset=utf-8",
			`<html><head><title>T</title><style>p{}</style></head><body><h1>Guide</h1><script>steal()</script><p>See <a href="../api?x=1">the API</a>.</p></body></html>`, "",
			"# Guide\n\nSee [the API](BASE/api?x=1).\n", false,
		},
		{
			"a base moves the links", "text/html",
			`<base href="/docs/v2/"><p><a href="intro">In</a> <img src="a.png" alt="A"></p>`, "",
			"[In](BASE/docs/v2/intro) ![A](BASE/docs/v2/a.png)\n", false,
		},
		{"a table", "text/html", `<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>`, "", "| A | B |\n|---|---|\n| 1 | 2 |\n", false},
		{"as text", "text/html", "<h1>Guide</h1>\n<p>One\n two <b>three</b>.</p><pre>a\n  b</pre><table><tr><td>1</td><td>2</td></tr></table><script>x</script>", "text", "Guide\nOne two three.\na\n  b\n1 2\n", false},
		{"as html", "text/html", "<p>One</p><script>x</script>\n", "html", "<p>One</p><script>x</script>\n", false},
		{"JSON as it is", "application/json", `{"a":  [1, 2]}`, "", "{\"a\":  [1, 2]}\n", false},
		{"JSON of a vendor", "application/vnd.api+json; charset=utf-8", `{"é": 1}`, "", "{\"é\": 1}\n", false},
		{"text", "text/plain", "a\nb\n", "", "a\nb\n", false},
		{"Latin-1 by its header", "text/plain; charset=iso-8859-1", "caf\xe9", "", "café\n", false},
		{"an encoding in the page", "text/html", "<meta charset=windows-1251><p>\xcf\xf0\xe8\xe2\xe5\xf2", "", "Привет\n", false},
		{"Shift JIS", "text/plain; charset=shift_jis", "\x93\xfa\x96{", "", "日本\n", false},
		{"UTF-8 far behind, named nowhere", "text/plain", strings.Repeat("a", 1500) + "é", "", strings.Repeat("a", 1500) + "é\n", false},
		{"bytes that are no UTF-8", "text/plain; charset=utf-8", "a\xff\xfeb", "", "a\ufffdb\n", false},
		{"a byte order mark", "text/plain", "\ufeffa", "", "a\n", false},
		{"no type, but text", "", "just words", "", "just words\n", false},
		{"an image", "image/png", "\x89PNG\r\n", "", "BASE/a/page: the page is image/png (6 bytes), which is no text", true},
		{"no type, and no text", "", "\x00\x01\x02\x03", "", "BASE/a/page: the page is application/octet-stream (4 bytes), which is no text", true},
		{"links that run something", "text/html", `<a href="javascript:alert(1)">x</a> <img src="data:image/png;base64,AAAA" alt="y">`, "text", "x\n", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newSite(t, everything, func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = []string{c.contentType}
				if c.contentType == "" {
					w.Header()["Content-Type"] = nil
				}
				io.WriteString(w, c.body)
			})
			got, failed := s.fetch(t, fmt.Sprintf(`{"url": "BASE/a/page", "format": %q}`, c.format))
			if got != c.want || failed != c.failed {
				t.Errorf("got  %q (failed: %v)\nwant %q (failed: %v)", got, failed, c.want, c.failed)
			}
		})
	}
}

// TestRequest holds what is sent, and what is not.
func TestRequest(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("http_proxy", "http://127.0.0.1:1")
	s := newSite(t, everything, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/first" {
			http.SetCookie(w, &http.Cookie{Name: "id", Value: "1"})
			http.Redirect(w, r, "/second?q=1#part", http.StatusFound)
			return
		}
		r.Header.Del("Accept")
		fmt.Fprintf(w, "%s %s %v", r.Method, r.URL, r.Header)
	})
	got, failed := s.fetch(t, `{"url": "BASE/x/../first"}`)
	want := "GET /second?q=1 map[Accept-Encoding:[gzip] Connection:[close] User-Agent:[flow (webfetch)]]\nthe page is BASE/second?q=1"
	if failed || got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestHTTPErrors(t *testing.T) {
	cases := []struct {
		name, contentType, body string
		status                  int
		want                    string
	}{
		{"with a text", "text/plain", "no such page", 404, "no such page\nHTTP 404 Not Found"},
		{"with HTML", "text/html", "<p>Sorry <b>you</b></p>", 500, "Sorry **you**\nHTTP 500 Internal Server Error"},
		{"with an image", "image/png", "x", 403, "HTTP 403 Forbidden"},
		{"a long one is cut", "text/plain", strings.Repeat("x", 10_000), 502, ""},
		{"a status that nobody knows", "text/plain", "", 799, "HTTP 799"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newSite(t, everything, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", c.contentType)
				w.WriteHeader(c.status)
				io.WriteString(w, c.body)
			})
			got, failed := s.fetch(t, `{"url": "BASE/"}`)
			if c.name == "a long one is cut" {
				if len(got) > 3000 || !strings.HasSuffix(got, "HTTP 502 Bad Gateway") {
					t.Errorf("%d bytes that end in %q", len(got), got[len(got)-40:])
				}
			} else if got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
			if !failed {
				t.Error("it did not fail")
			}
		})
	}
}

// TestRedirects has the rules, what the pages lead to, and how it ends.
func TestRedirects(t *testing.T) {
	cases := []struct {
		name  string
		rules map[string]permission.Verdict
		to    string // of /start; /n redirects to n-1, /0 is a page
		want  string
		told  bool
	}{
		{"followed", everything, "/0", "the end\nthe page is BASE/0", false},
		{"five are", everything, "/4", "the end\nthe page is BASE/0", false},
		{"six are not", everything, "/5", "BASE/1 redirects once more, to \"BASE/0\", after 5 redirects", false},
		{"to what is denied", map[string]permission.Verdict{"BASE/**": permission.Allow, "BASE/0": permission.Deny}, "/0", `the redirect to "BASE/0" is denied: webfetch "BASE/0": the rule "webfetch: BASE/0" denies it`, true},
		{"to what nobody allowed", map[string]permission.Verdict{"BASE/start": permission.Allow}, "https://example.com/", `the redirect to "https://example.com/" is denied: webfetch "https://example.com/": no webfetch rule allows it`, true},
		{"to the metadata of a cloud", map[string]permission.Verdict{"BASE/**": permission.Allow, "http://169.254.169.254/**": permission.Allow}, "http://169.254.169.254/latest/meta-data/", `the redirect to "http://169.254.169.254/latest/meta-data/" is denied: webfetch "http://169.254.169.254/latest/meta-data/": the address is link-local or serves metadata`, true},
		{"to a file", everything, "file:///etc/passwd", `the redirect to "file:///etc/passwd" is denied: webfetch "file:///etc/passwd": it is no absolute http or https URL`, true},
		{"with credentials", everything, "http://me:pw@localhost/", `the redirect to "http://me:pw@localhost/" is denied: webfetch "http://me:pw@localhost/": its host holds a user's name or an escape`, true},
		{"to nowhere", everything, "", "BASE/start answers 302 Found and does not say where to", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newSite(t, c.rules, func(w http.ResponseWriter, r *http.Request) {
				var n int
				switch _, err := fmt.Sscanf(r.URL.Path, "/%d", &n); {
				case r.URL.Path == "/start":
					if c.to != "" {
						w.Header().Set("Location", c.to)
					}
					w.WriteHeader(http.StatusFound)
				case err == nil && n > 0:
					http.Redirect(w, r, fmt.Sprintf("/%d", n-1), http.StatusTemporaryRedirect)
				default:
					io.WriteString(w, "the end")
				}
			})
			got, _ := s.fetch(t, `{"url": "BASE/start"}`)
			if got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
			if (len(s.refused) > 0) != c.told {
				t.Errorf("told of: %q", s.refused)
			}
		})
	}
}

// TestAddresses has what names lead to. Nothing of it may be connected to: the
// server stands for what is on this machine.
func TestAddresses(t *testing.T) {
	public, loopback := netip.MustParseAddr("203.0.113.9"), netip.MustParseAddr("127.0.0.1")
	cases := []struct {
		name string
		led  []netip.Addr
		want string
	}{
		{"to this machine", []netip.Addr{loopback}, "127.0.0.1"},
		{"also to this machine", []netip.Addr{public, loopback}, "127.0.0.1"},
		{"to it in a mapped form", []netip.Addr{netip.MustParseAddr("::ffff:127.0.0.1")}, "127.0.0.1"},
		{"to the metadata address", []netip.Addr{netip.MustParseAddr("169.254.169.254")}, "169.254.169.254"},
		{"to a private network", []netip.Addr{netip.MustParseAddr("10.0.0.1")}, "10.0.0.1"},
		{"to unique local", []netip.Addr{netip.MustParseAddr("fd00::1")}, "fd00::1"},
		{"to nothing", nil, "has no address"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newSite(t, nil, nil)
			s.options.Resolve = func(context.Context, string) ([]netip.Addr, error) { return c.led, nil }
			s.options.Judge = allowAll
			port := strings.TrimPrefix(s.base, "http://localhost:")
			got, failed := s.fetch(t, `{"url": "http://evil.example:`+port+`/"}`)
			if !failed || !strings.Contains(got, c.want) {
				t.Errorf("%q, failed: %v", got, failed)
			}
			if len(s.asked) > 0 {
				t.Error("the server was reached")
			}
			if c.led != nil && len(s.refused) != 1 {
				t.Errorf("told of: %q", s.refused)
			}
		})
	}
}

func allowAll(_ context.Context, address string, _ bool) (string, tools.Decision) {
	return address, tools.Decision{Verdict: tools.Allow}
}

// TestRebinding has a name that leads to the public internet when it is asked
// for first, and to this machine from then on.
func TestRebinding(t *testing.T) {
	s := newSite(t, nil, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "secret") })
	lookups := 0
	s.options.Resolve = func(context.Context, string) ([]netip.Addr, error) {
		lookups++
		if lookups == 1 {
			return []netip.Addr{netip.MustParseAddr("203.0.113.9")}, nil // a network of documentation: nothing answers
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	s.options.Judge, s.options.Timeout = allowAll, 300*time.Millisecond
	got, failed := s.fetch(t, `{"url": "http://evil.example:`+strings.TrimPrefix(s.base, "http://localhost:")+`/"}`)
	if !failed || strings.Contains(got, "secret") || len(s.asked) > 0 {
		t.Errorf("%q, failed: %v; requests: %v", got, failed, s.asked)
	}
	if lookups != 1 {
		t.Errorf("the name was looked up %d times, want 1: what was checked is what is dialled", lookups)
	}
	if err := checkDialled("evil.example", "127.0.0.1:80"); err == nil {
		t.Error("the address is not checked where it is dialled")
	}
}

// TestHostileServers ends each of them in bounded time and memory.
func TestHostileServers(t *testing.T) {
	endless := func(w io.Writer, chunk string) {
		for {
			if _, err := io.WriteString(w, chunk); err != nil {
				return
			}
		}
	}
	cases := []struct {
		name   string
		serve  http.HandlerFunc
		want   string
		failed bool
	}{
		{"a body without end", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			endless(w, strings.Repeat("x", 1000)+"\n")
		}, "the page is longer than 1048576 bytes; the rest was not read", false},
		{"a gzip bomb", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			endless(z, strings.Repeat("\n", 64<<10))
		}, "the page is longer than 1048576 bytes; the rest was not read", false},
		{"no such encoding", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "br")
			io.WriteString(w, "x")
		}, `the page is encoded as "br", which was not asked for`, true},
		{"broken gzip", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			io.WriteString(w, "this is no gzip")
		}, "gzip: invalid header", true},
		{"a slow drip", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			for r.Context().Err() == nil {
				io.WriteString(w, "x")
				w.(http.Flusher).Flush()
				time.Sleep(20 * time.Millisecond)
			}
		}, "it took more than 500ms", true},
		{"no answer", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "it took more than 500ms", true},
		{"less than it says", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, "short")
		}, "after 5 bytes: unexpected EOF", true},
		{"headers without end", func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				defer conn.Close()
				io.WriteString(conn, "HTTP/1.1 200 OK\r\n")
				endless(conn, "X-More: "+strings.Repeat("x", 1000)+"\r\n")
			}
		}, "server response headers exceeded", true},
		{"a connection that is cut", func(w http.ResponseWriter, _ *http.Request) {
			if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
				conn.Close()
			}
		}, "EOF", true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newSite(t, everything, c.serve)
			s.options.MaxBytes = 1 << 20
			if strings.Contains(c.want, "it took") {
				s.options.Timeout = 500 * time.Millisecond
			}
			got, failed := s.fetch(t, `{"url": "BASE/"}`)
			if tail := got[max(0, len(got)-300):]; !strings.Contains(tail, c.want) || failed != c.failed {
				t.Errorf("%q, failed: %v", tail, failed)
			}
		})
	}
}

// TestHostileHTML ends in bounded time, whatever the page is.
func TestHostileHTML(t *testing.T) {
	const most = 1 << 20 // a fifth of what is read, to be quick
	fill := func(unit string) string { return strings.Repeat(unit, most/len(unit)) }
	cases := []struct{ name, body, want string }{
		{"deep", fill("<div>"), "the HTML can't be read"},
		{"deep lists", fill("<ul><li>"), "the HTML can't be read"},
		{"wide", fill("<p>x"), "too many elements"},
		{"as wide as can be", strings.Repeat("<p>x</p><p><i>y</i></p>", 20_000), ""},
		{"attributes", "<p " + fill(`a="1" `) + ">x", ""},
		{"one long word", "<p>" + fill("x"), ""},
		{"stars", "<p>" + fill("*_`[") + "</p>", ""},
		{"formatting that does not end", fill("<b><i><p>"), "the HTML"},
		{"tables in tables", fill("<table><tr><td>"), "the HTML can't be read"},
		{"a table of one wide and many rows", "<table><tr>" + strings.Repeat("<td>x", 20_000) + strings.Repeat("<tr><td>y", 20_000) + "</table>", ""},
		{"a table with wide cells", "<table><tr>" + strings.Repeat("<td colspan=100000 rowspan=100000>x", 50) + "</table>", ""},
		{"entities", "<p>" + fill("&lt;"), ""},
		{"a comment that does not end", "<p>x</p><!--" + fill("a-"), ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, format := range []string{asMarkdown, asText} {
				address, _ := url.Parse("https://example.com/")
				var err error
				took := testkit.CPUTime(func() { _, err = convert(t.Context(), []byte(c.body), address, format) })
				if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
					t.Errorf("%s: error %v, want %q", format, err, c.want)
				}
				if took > 15*time.Second {
					t.Errorf("%s: it took %v", format, took)
				} else {
					t.Logf("%s: %v", format, took)
				}
			}
		})
	}
}

// TestCancelled ends with the context's own cause.
func TestCancelled(t *testing.T) {
	s := newSite(t, everything, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithCancelCause(t.Context())
	why := fmt.Errorf("enough")
	time.AfterFunc(50*time.Millisecond, func() { cancel(why) })
	out := tools.NewOutput(tools.OutputOptions{})
	_, err := Fetch(s.options).Run(ctx, json.RawMessage(`{"url": "`+s.base+`"}`), out)
	if err != why {
		t.Errorf("error %v, want %v", err, why)
	}
}

func TestNoPolicy(t *testing.T) {
	s := newSite(t, nil, nil)
	s.options.Judge = nil
	if got, failed := s.fetch(t, `{"url": "BASE/"}`); !failed || got != "there is no policy" {
		t.Errorf("%q, failed: %v", got, failed)
	}
}
