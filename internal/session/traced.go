package session

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/a-seed-11b9befa/flow/runner/view"
)

// A traced is the program flow-otel, which reads the journal of a run as it grows and sends spans. It is a
// program of its own, since what it is made of would make each start of flow slower.
type traced struct {
	path  string
	cmd   *exec.Cmd
	stdin io.Closer     // closed once the run has ended
	said  bytes.Buffer  // on its standard error
	ended chan struct{} // closed once it has, with err
	err   error
}

// maxFlush is how long a run that has ended waits for its last spans to be sent.
const maxFlush = 2 * time.Second

// findTracer returns the program if the variables of OpenTelemetry ask for it.
func (o *Options) findTracer() *traced {
	isSet := func(name string) bool { return o.Env(name) != "" }
	endpoints := []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"}
	none := o.Env("OTEL_TRACES_EXPORTER") == "none" && o.Env("OTEL_METRICS_EXPORTER") == "none"
	if o.Host.PlanOnly || !slices.ContainsFunc(endpoints, isSet) || none || strings.EqualFold(o.Env("OTEL_SDK_DISABLED"), "true") {
		return nil
	}
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	path := filepath.Join(filepath.Dir(self), "flow-otel")
	if _, missing := os.Stat(path); err != nil || missing != nil {
		path, err = exec.LookPath("flow-otel")
	}
	if err != nil {
		o.Say("warning: the run is not traced, because the program flow-otel is neither beside flow nor in PATH")
		return nil
	}
	return &traced{path: path, ended: make(chan struct{})}
}

// startTrace starts the program, once the run has a journal. A signal from the terminal does not reach it,
// and it ends by itself where flow is killed.
func (s *Session) startTrace() {
	t := s.traced
	if t == nil {
		return
	}
	t.cmd = exec.Command(t.path, "--follow", s.host.Dir())
	t.cmd.Stderr = &t.said
	t.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	t.cmd.WaitDelay = maxFlush
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "OTEL_") || slices.Contains([]string{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"}, strings.ToUpper(name)) {
			t.cmd.Env = append(t.cmd.Env, pair)
		}
	}
	if t.stdin, t.err = t.cmd.StdinPipe(); t.err == nil {
		t.err = t.cmd.Start()
	}
	if t.err != nil {
		close(t.ended)
		return
	}
	s.waits.Go(func() {
		defer close(t.ended)
		t.err = t.cmd.Wait()
	})
}

// endTrace waits for the last spans, but not long, and warns if they were not sent.
func (s *Session) endTrace() {
	t := s.traced
	if t == nil || t.cmd == nil {
		return
	}
	if t.stdin != nil {
		t.stdin.Close()
	}
	select {
	case <-t.ended:
	case <-time.After(maxFlush):
		t.cmd.Process.Kill()
		<-t.ended
		t.err = fmt.Errorf("the collector did not take the rest within %v", maxFlush)
	}
	if said := strings.TrimSpace(t.said.String()); said != "" {
		t.err = errors.New(strings.TrimPrefix(said, "flow-otel: "))
	}
	if t.err != nil {
		s.Say("warning: the trace of the run is not complete: " + view.Brief(t.err.Error()))
	}
}
