package held

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/sourcegraph/conc"
	"golang.org/x/sys/unix"

	"github.com/a-seed-11b9befa/flow/tools/internal/restrict"
)

// marker is the name by which this program is started again, inside of the new
// namespaces.
const marker = "flow: held command"

// Files that the program inside is given.
const (
	specFile   = 3 // what it is to do, as JSON
	statusFile = 4 // takes how it went: see [report]
)

// A held command is started by the program that this package is in, which is started
// anew for that under one of two names. It never comes to its main then, and not to
// the variables of most packages, which would take longer than all that is done here.
func init() {
	switch os.Args[0] {
	case betweenMarker:
		unix.Exit(between())
	case marker:
		unix.Exit(inside()) // not os.Exit: under the race detector that waits a second
	}
}

// A spec is what the program inside is to do.
type spec struct {
	Plan      plan
	Path      string
	Args      []string
	Dir       string
	Env       []string
	Offline   bool
	User      bool // there is a user namespace
	Processes uint64
	FileSize  uint64
	Bounds    bounds
}

// A report is how the command ended, or why it did not start.
type report struct {
	Status int    `json:",omitempty"` // see [syscall.WaitStatus]
	Why    string `json:",omitempty"` // it was ended, because of this
	Error  string `json:",omitempty"`
	Cause  int    `json:",omitempty"` // the number of the system's error, 0 for none
}

// inside is the first process of the namespaces. What it returns is its exit code.
func inside() int {
	runtime.LockOSThread() // rights are given up by the thread that starts the command
	unix.CloseOnExec(specFile)
	unix.CloseOnExec(statusFile)
	signals := make(chan os.Signal, 8) // they reach the command, which is in the same group
	signal.Notify(signals, unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGQUIT)
	r, code := runInside()
	if send(r) != 0 {
		return 1
	}
	return code
}

// send writes the report. It returns an exit code: 0 where it is only the report that
// says what went wrong, if anything did.
func send(r report) int {
	text, err := json.Marshal(r)
	if err == nil {
		_, err = os.NewFile(statusFile, "status").Write(text)
	}
	if err != nil {
		return 1
	}
	return 0
}

func runInside() (report, int) {
	var s spec
	file := os.NewFile(specFile, "spec")
	err := json.NewDecoder(file).Decode(&s)
	file.Close()
	if err == nil {
		err = s.prepare()
	}
	if err != nil {
		return failure(err), 1
	}
	if s.Path == "" {
		return report{}, 0 // this was a trial
	}
	w := s.newWatch()
	pid, err := s.start()
	if err != nil {
		return failure(err), 1
	}
	var watching conc.WaitGroup
	ended := make(chan struct{})
	watching.Go(func() { w.run(ended) })
	status := reap(pid)
	close(ended)
	watching.Wait()
	r := report{Status: int(status)}
	if why := w.why.Load(); why != nil {
		r.Why = *why
	}
	if status.Signaled() {
		return r, 128 + int(status.Signal())
	}
	return r, status.ExitStatus()
}

func failure(err error) report {
	r := report{Error: err.Error()}
	var number syscall.Errno
	if errors.As(err, &number) {
		r.Cause = int(number)
	}
	return r
}

// prepare makes the view, and gives up what the command is not to have.
func (s *spec) prepare() error {
	// The memory and the files of this process are nobody's business.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("dumpable: %w", err)
	}
	s.bound()
	if s.Offline {
		if err := loopback(); err != nil {
			return fmt.Errorf("loopback: %w", err)
		}
	}
	if err := s.Plan.mount(); err != nil {
		return err
	}
	if err := mountProc(s.limit); err != nil {
		return err
	}
	_, _ = unix.KeyctlJoinSessionKeyring("") // a system may have no keys at all
	return nil
}

// bound limits the command as a whole where the kernel can, which is never an
// error: the time-out of a command ends it in any case.
func (s *spec) bound() {
	_ = unix.Prlimit(0, unix.RLIMIT_CORE, &unix.Rlimit{}, nil)
	_ = unix.Prlimit(0, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: s.FileSize, Max: s.FileSize}, nil)
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("900"), 0)
}

// limit does what is done by way of /proc, when all is mounted: a mount that is
// nowhere yet counts as a namespace.
func (s *spec) limit() {
	if s.User {
		// No namespace below this one: in such a one a command could mount, a cgroup
		// of its own for example. And what is counted by user is counted in here only.
		for _, kind := range []string{"user", "mnt", "pid", "net", "cgroup"} {
			_ = os.WriteFile("/proc/sys/user/max_"+kind+"_namespaces", []byte("0"), 0)
		}
		_ = unix.Prlimit(0, unix.RLIMIT_NPROC, &unix.Rlimit{Cur: s.Processes, Max: s.Processes}, nil)
	}
	if kernelAtLeast(6, 14) { // before, this number was that of the whole system
		_ = os.WriteFile("/proc/sys/kernel/pid_max", fmt.Appendf(nil, "%d", s.Processes), 0)
	}
	// A command writes down the ids of its processes, and whoever reads them outside
	// should not find a process of the system behind each, as there is behind the
	// smallest ones.
	_ = os.WriteFile("/proc/sys/kernel/ns_last_pid", fmt.Appendf(nil, "%d", s.Processes/2+rand.Uint64N(s.Processes/4)), 0)
}

// loopback brings up the one interface of the new network.
func loopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request)
}

// start starts the command, without the powers that made its view.
func (s *spec) start() (pid int, err error) {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return 0, fmt.Errorf("no new privileges: %w", err)
	}
	s.Plan.restrict()
	if s.Offline { // a namespace has no part in sockets to the host of a virtual machine
		if err := restrict.Sockets(unix.AF_UNIX, unix.AF_NETLINK, unix.AF_INET, unix.AF_INET6); err != nil {
			return 0, fmt.Errorf("network: %w", err)
		}
	}
	// Root's command keeps what installs software, and has nothing else in its reach.
	if err := restrict.Powers(unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_FSETID,
		unix.CAP_SETGID, unix.CAP_SETUID, unix.CAP_KILL, unix.CAP_NET_BIND_SERVICE); err != nil {
		return 0, err
	}
	// Files that this program was given open by whoever started it, such as a folder,
	// lead out of the view.
	if err := unix.CloseRange(statusFile, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return 0, fmt.Errorf("open files: %w", err)
	}
	if info, err := os.Stat(s.Dir); err != nil || !info.IsDir() {
		return 0, fmt.Errorf("%q is no folder to run in", s.Dir)
	}
	pid, err = syscall.ForkExec(s.Path, s.Args, &syscall.ProcAttr{Dir: s.Dir, Env: s.Env, Files: []uintptr{0, 1, 2}})
	if err != nil {
		return 0, fmt.Errorf("%s: %w", filepath.Base(s.Path), err)
	}
	return pid, nil
}

// late is how long what the command left behind may go on, to print the rest.
const late = 250 * time.Millisecond

// reap waits for the command, and a little for what it has left. When this process
// ends after that, the kernel kills what is still there.
func reap(pid int) syscall.WaitStatus {
	var status syscall.WaitStatus
	for {
		var s syscall.WaitStatus
		found, err := syscall.Wait4(-1, &s, 0, nil)
		if err != nil && !errors.Is(err, syscall.EINTR) {
			return status
		}
		if found == pid {
			status = s
			break
		}
	}
	for deadline := time.Now().Add(late); time.Now().Before(deadline); {
		found, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if err != nil && !errors.Is(err, syscall.EINTR) {
			break // there are none
		}
		if found == 0 {
			time.Sleep(2 * time.Millisecond)
		}
	}
	return status
}

// kernelAtLeast reports whether the kernel is of that version or newer.
func kernelAtLeast(major, minor int) bool {
	var name unix.Utsname
	if unix.Uname(&name) != nil {
		return false
	}
	var a, b int
	if n, _ := fmt.Sscanf(strings.TrimSpace(unix.ByteSliceToString(name.Release[:])), "%d.%d", &a, &b); n < 2 {
		return false
	}
	return a > major || a == major && b >= minor
}
