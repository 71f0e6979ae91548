package page

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/sourcegraph/conc"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/view"
)

// Control lets a page answer, resume and cancel runs, by the program that serves it.
type Control struct {
	Program string // flow
	mu      sync.Mutex
	jobs    map[string]*Job // by the folders of their runs
	running conc.WaitGroup
}

// A Job is a flow resume that a page has started.
type Job struct {
	Working bool   `json:"working,omitempty"`
	Said    string `json:"said,omitempty"` // by one that went wrong, the end of it
}

// of returns the job of a run.
func (c *Control) of(dir string) Job {
	if c == nil {
		return Job{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if job := c.jobs[dir]; job != nil {
		return *job
	}
	return Job{}
}

// wait waits until all jobs have ended.
func (c *Control) wait() { c.running.Wait() }

// An Order is what a page asks for: a run is resumed, with these answers.
type Order struct {
	Answers []struct {
		Address string // of the question, or of the call
		Value   *string
		Comment string
		Allowed bool
		Reason  string // of a denial
	}
}

// arguments returns the flags of flow resume. An answer has to be to what the run waits for.
func (o *Order) arguments(waiting []Wait) (all []string, err error) {
	for _, a := range o.Answers {
		i := slices.IndexFunc(waiting, func(w Wait) bool { return w.Address == a.Address && w.IsCall() == (a.Value == nil) })
		switch {
		case i < 0:
			return nil, fmt.Errorf("the run does not wait for an answer to %q", a.Address)
		case a.Value != nil:
			all = append(all, "--answer="+a.Address+"="+*a.Value)
			if a.Comment != "" {
				all = append(all, "--comment="+a.Address+"="+a.Comment)
			}
		case a.Allowed:
			all = append(all, "--approve="+a.Address)
		case a.Reason != "":
			all = append(all, "--deny="+a.Address+"="+a.Reason)
		default:
			all = append(all, "--deny="+a.Address)
		}
	}
	return all, nil
}

// resume resumes a run.
func (s *Server) resume(w http.ResponseWriter, r *http.Request, of *watch) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(slowClient))
	var order Order
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&order); err != nil {
		http.Error(w, "expected an object with answers", http.StatusBadRequest)
		return
	}
	now, err := of.now()
	if err != nil || now.Run.State == view.Running {
		http.Error(w, "a process works in the run", http.StatusConflict)
		return
	}
	arguments, err := order.arguments(now.Waiting)
	if err == nil {
		err = s.Control.start(s.ending, of.dir, arguments)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

// grace is how long a run that was interrupted with the server may take.
const grace = 15 * time.Second

// start runs flow resume until it ends, or ctx does; then the run is interrupted, and can be resumed.
func (c *Control) start(ctx context.Context, dir string, arguments []string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if job := c.jobs[dir]; job != nil && job.Working {
		return fmt.Errorf("the run is being resumed already")
	}
	said := new(tail)
	command := exec.CommandContext(ctx, c.Program, append([]string{"resume", dir, "--output=none", "--quiet", "--no-color"}, arguments...)...)
	command.Stdout, command.Stderr, command.WaitDelay = said, said, grace
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // the terminal interrupts only the server, and that the run
	if err := command.Start(); err != nil {
		return err
	}
	if c.jobs == nil {
		c.jobs = map[string]*Job{}
	}
	c.jobs[dir] = &Job{Working: true}
	c.running.Go(func() {
		err := command.Wait()
		c.mu.Lock()
		defer c.mu.Unlock()
		c.jobs[dir] = &Job{}
		const waits = 9 // as it did before
		if err != nil && command.ProcessState.ExitCode() != waits {
			c.jobs[dir].Said = strings.TrimSpace(strings.ToValidUTF8(string(*said), ""))
		}
	})
	return nil
}

// A tail keeps the end of what is written, by one goroutine.
type tail []byte

func (t *tail) Write(p []byte) (int, error) {
	const maxKept = 8 << 10
	all := append(*t, p...)
	*t = all[max(len(all)-maxKept, 0):]
	return len(p), nil
}

// cancel interrupts the process that works in a run.
func (s *Server) cancel(w http.ResponseWriter, _ *http.Request, of *watch) {
	if err := interrupt(of.dir); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

func interrupt(dir string) error {
	from, err := journal.OpenReader(dir)
	if err != nil {
		return err
	}
	defer from.Close()
	own, _ := os.Hostname()
	switch by := from.Worker(); {
	case by == nil:
		return fmt.Errorf("no process works in the run")
	case by.PID <= 1 || by.Host != own:
		return fmt.Errorf("the process that works in the run is not on this machine: %v", by)
	default:
		return syscall.Kill(by.PID, syscall.SIGINT)
	}
}
