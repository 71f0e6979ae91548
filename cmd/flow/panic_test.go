package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"os"
	"os/exec"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// TestKeysAppearInNoPanic has a process panic while a request with a key is under
// way, in every wire format and in three places, and looks for the key in what the
// process leaves behind.
func TestKeysAppearInNoPanic(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		leaks()["refused, as JSON"](w, r)
	}))
	t.Cleanup(server.Close) // not before the subtests have ended
	for _, api := range host.APIs() {
		for _, where := range []string{"below", "beside", "after"} {
			t.Run(api+" "+where, func(t *testing.T) {
				t.Parallel()
				run := exec.Command("panicking", api, where, server.URL+"/v1?key="+leakedKey)
				run.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GOTRACEBACK=all", "OWN_KEY=" + leakedKey}
				out, err := run.CombinedOutput()
				var ended *exec.ExitError
				if !errors.As(err, &ended) || !bytes.Contains(out, []byte("panic: "+where)) {
					t.Fatalf("%v: %s", err, out)
				}
				lookForKey(t, "the panic", out)
			})
		}
	}
}

// panicking is a program that asks a model of the wire format that its arguments
// name, and panics: below the provider, which stands on the stack with its
// request; beside it, in another goroutine, once the key is sent; or after it,
// with the error of a service that told the key. It prints what it has at hand.
func panicking() {
	api, where, url := os.Args[1], os.Args[2], os.Args[3]
	w := &workflows.Workflow{Providers: map[string]workflows.Endpoint{
		"own": {API: api, BaseURL: url, APIKeyEnv: "OWN_KEY", Headers: map[string]string{"X-Token": os.Getenv("OWN_KEY")}},
	}}
	r := host.NewModels(host.Environment{})
	m, err := r.Find("own/model-1", w)
	if err != nil {
		panic(err)
	}
	give := func(err error) { panic(fmt.Sprintf("%s: %v\n%v\n%+v\n%#v\n%+v\n%#v", where, err, m, m, m, r, r)) }
	var trace httptrace.ClientTrace
	switch where {
	case "below":
		trace.GotConn = func(httptrace.GotConnInfo) { give(nil) }
	case "beside":
		trace.WroteRequest = func(info httptrace.WroteRequestInfo) { give(info.Err) }
	}
	ctx := httptrace.WithClientTrace(context.Background(), &trace)
	_, err = m.Stream(ctx, providers.Request{Messages: []providers.Message{providers.UserText("hi")}}, func(providers.Event) {})
	give(err)
}
