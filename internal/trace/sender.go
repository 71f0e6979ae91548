package trace

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
)

// A Sender is the program flow-otel, which reads the journal of a run as it grows and sends spans. It is a
// program of its own, since what it is made of would make each start of flow slower. The nil Sender sends
// nothing.
type Sender struct {
	path  string
	cmd   *exec.Cmd
	stdin io.Closer    // closed once the run has ended
	said  bytes.Buffer // on its standard error
}

// maxFlush is how long a run that has ended waits for its last spans to be sent.
const maxFlush = 2 * time.Second

// NewSender returns a Sender for a run if the variables of OpenTelemetry ask for it.
func NewSender(env func(string) string) (*Sender, error) {
	isSet := func(name string) bool { return env(name) != "" }
	endpoints := []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"}
	none := env("OTEL_TRACES_EXPORTER") == "none" && env("OTEL_METRICS_EXPORTER") == "none"
	if !slices.ContainsFunc(endpoints, isSet) || none || strings.EqualFold(env("OTEL_SDK_DISABLED"), "true") {
		return nil, nil
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
		return nil, errors.New("the run is not traced, because the program flow-otel is neither beside flow nor in PATH")
	}
	return &Sender{path: path}, nil
}

// Start starts the program for the run in a folder, which has a journal. A signal from the terminal does not
// reach it, and it ends by itself where flow is killed.
func (s *Sender) Start(dir string) error {
	if s == nil {
		return nil
	}
	cmd := exec.Command(s.path, "--follow", dir)
	cmd.Stderr = &s.said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = maxFlush
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "OTEL_") || slices.Contains([]string{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"}, strings.ToUpper(name)) {
			cmd.Env = append(cmd.Env, pair)
		}
	}
	stdin, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return incomplete(err)
	}
	s.cmd, s.stdin = cmd, stdin
	return nil
}

// End waits for the last spans, but not long. The error says that they were not sent.
func (s *Sender) End() error {
	if s == nil || s.cmd == nil {
		return nil
	}
	s.stdin.Close()
	kill := time.AfterFunc(maxFlush, func() { _ = s.cmd.Process.Kill() })
	err := s.cmd.Wait()
	if !kill.Stop() {
		err = fmt.Errorf("the collector did not take the rest within %v", maxFlush)
	}
	if said := strings.TrimSpace(s.said.String()); said != "" {
		err = errors.New(strings.TrimPrefix(said, "flow-otel: "))
	}
	return incomplete(err)
}

func incomplete(err error) error {
	if err != nil {
		err = fmt.Errorf("the trace of the run is not complete: %w", err)
	}
	return err
}
