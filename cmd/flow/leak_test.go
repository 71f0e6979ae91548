package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/runner/host"
)

// leakedKey stands in every variable that may hold a key.
const leakedKey = "zk.4f9A8b7C6d5E4f3A2b1C/leak+0123"

// leaks are services that send back all that they were sent, in every place
// that a client might show somebody.
func leaks() map[string]http.HandlerFunc {
	refuse := func(status int, contentType, format string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			dump, _ := httputil.DumpRequest(r, false)
			w.Header().Set("Content-Type", contentType)
			w.Header().Set("Retry-After-Ms", "1")
			w.Header().Set("X-Request-Id", leakedKey)
			w.Header().Set("X-Ratelimit-Reset-Requests", leakedKey)
			w.WriteHeader(status)
			fmt.Fprintf(w, format, leakedKey, dump)
		}
	}
	return map[string]http.HandlerFunc{
		"refused, as JSON":     refuse(401, "application/json", `{"error":{"message":"wrong key %s","code":"`+leakedKey+`","type":"%.0s"}}`),
		"refused, as text":     refuse(400, "text/plain", "%s\n%s"),
		"failing":              refuse(500, "text/plain", "%s\n%s"),
		"limiting":             refuse(429, "application/json", `{"error":{"message":"the key %s is used up","code":"insufficient_quota","x":"%.0s"}}`),
		"a page":               refuse(200, "text/html", "<html>%s %s"),
		"another document":     refuse(200, "application/json", `{"said":%q,"more":%q}`),
		"an error in a stream": refuse(200, "text/event-stream", "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"%s %.0s\"}}\n\n"),
		"a refusal of the path": func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, r.URL.String()+leakedKey, http.StatusNotFound)
		},
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/?key="+leakedKey, http.StatusTemporaryRedirect)
		},
	}
}

// leaking answers a request in the way that its prompt names.
func leaking(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	for way, serve := range leaks() {
		if bytes.Contains(body, []byte("Way: "+way+".")) {
			serve(w, r)
			return
		}
	}
	http.Error(w, "no such way", http.StatusTeapot)
}

// TestKeysAppearNowhere has every provider asked by a step for each leak, with
// all that flow can write, and looks for the key in it.
func TestKeysAppearNowhere(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(leaking))
	t.Cleanup(server.Close) // not before the subtests have ended
	all, err := host.Environment{Lookup: func(string) (string, bool) { return "", false }}.Providers()
	if err != nil || len(all) < 5 {
		t.Fatal(all, err)
	}
	for _, s := range append(all, host.Provider{Name: "own"}) {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			checkLeaks(t, s, server.URL, "--log-level", "trace")
			checkLeaks(t, s, server.URL, "--log-level", "trace", "--log-json", "--events", "events.jsonl", "--record", "recorded.script.yaml", "--output", "json")
		})
	}
}

func checkLeaks(t *testing.T, s host.Provider, url string, flags ...string) {
	dir := t.TempDir()
	text := fmt.Sprintf(`name: leak
providers:
  own: {api: openai-chat, base_url: "%s/v1?key=%s", api_key_env: OWN_KEY, headers: {X-Token: "%s"}}
steps:
`, url, leakedKey, leakedKey)
	n := 0
	for way := range leaks() { // each by a model of its own: one that has refused the key is not asked again
		n++
		text += fmt.Sprintf("  - {needs: [], if: always(), model: %s/model-%d, prompt: \"Way: %s.\"}\n", s.Name, n, way)
	}
	if err := os.WriteFile(filepath.Join(dir, "flow.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run := exec.Command("flow", append([]string{"run", "flow.yaml", "--run-dir", "run"}, flags...)...)
	run.Dir = dir
	run.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GOTRACEBACK=all", "OWN_KEY=" + leakedKey, "AZURE_OPENAI_API_VERSION=2024-10-21"}
	for _, name := range s.KeyVars {
		run.Env = append(run.Env, name+"="+leakedKey)
	}
	if s.URLVar != "" {
		run.Env = append(run.Env, s.URLVar+"="+url)
	}
	out, err := run.CombinedOutput()
	code := run.ProcessState.ExitCode() // the key is refused, or its quota used up: whichever the file has first
	if code != exitConfiguration && code != exitRateLimited || !bytes.Contains(out, []byte("HTTP 401")) || bytes.Contains(out, []byte("HTTP 418")) {
		t.Errorf("%v: %s", err, out)
	}
	lookForKey(t, "the terminal", out)
	lookInFolder(t, dir)
}

// lookInFolder looks at every file but the workflow, which the test has written.
func lookInFolder(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == "flow.yaml" {
			return err
		}
		data, err := os.ReadFile(path)
		lookForKey(t, entry.Name(), data)
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func lookForKey(t *testing.T, where string, text []byte) {
	t.Helper()
	for _, form := range []string{
		leakedKey, url.QueryEscape(leakedKey), url.PathEscape(leakedKey), strings.ReplaceAll(leakedKey, "/", `\/`),
		base64.StdEncoding.EncodeToString([]byte(leakedKey)), leakedKey[:len(leakedKey)-4], leakedKey[9:],
	} {
		if i := bytes.Index(text, []byte(form)); i >= 0 {
			t.Errorf("%s shows the key: …%s…", where, text[max(0, i-100):min(len(text), i+100)])
			return
		}
	}
}
