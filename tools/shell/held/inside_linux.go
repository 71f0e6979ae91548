package held

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/sourcegraph/conc"
	"golang.org/x/sys/unix"

	"github.com/a-seed-11b9befa/flow/tools/internal/restrict"
)

// marker is the name under which this program is started again in the new namespaces. It
// is then called the program inside.
const marker = "flow: held command"

// The files of the program inside.
const (
	specFile   = 3 // a [spec], as JSON
	statusFile = 4 // where it writes its [report]
)

// The program that uses this package starts itself under this name to start a held command.
// It does so in init, before main and before most packages initialize their variables, which
// would take longer than all that is done here.
func init() {
	if os.Args[0] == marker {
		unix.Exit(inside()) // not os.Exit: under the race detector that waits a second
	}
}

// spec says what the program inside has to do.
type spec struct {
	Plan     plan
	Path     string
	Args     []string
	Dir      string
	Env      []string
	Offline  bool
	UID, GID int // of the user, who is not mapped into it yet unless that is root
}

// report says how the command ended, or why it did not start.
type report struct {
	Status int    `json:",omitempty"` // a [syscall.WaitStatus]
	Why    string `json:",omitempty"` // why it was killed
	Error  string `json:",omitempty"`
}

// inside is the first process of the namespaces. It returns its exit code.
func inside() int {
	runtime.GOMAXPROCS(1)  // see startThreads
	runtime.LockOSThread() // rights are given up by the thread that starts the command
	unix.CloseOnExec(specFile)
	unix.CloseOnExec(statusFile)
	signals := make(chan os.Signal, 8) // they reach the command, which is in the same group
	signal.Notify(signals, unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGQUIT)
	r, code := runInside()
	text, err := json.Marshal(r)
	if err == nil {
		_, err = os.NewFile(statusFile, "status").Write(text)
	}
	if err != nil {
		return 1
	}
	return code
}

func runInside() (report, int) {
	var s spec
	file := os.NewFile(specFile, "spec")
	err := json.NewDecoder(file).Decode(&s)
	file.Close()
	if err == nil {
		err = s.mapUser()
	}
	if err == nil {
		err = s.prepare()
	}
	if err != nil {
		return report{Error: err.Error()}, 1
	}
	if s.Path == "" {
		return report{}, 0 // this was a trial
	}
	folders := s.Plan.roomy()
	startThreads()
	pid, err := s.start()
	if err != nil {
		return report{Error: err.Error()}, 1
	}
	var watching conc.WaitGroup
	ended := make(chan struct{})
	why := ""
	watching.Go(func() { why = watch(folders, ended) })
	status := reap(pid)
	close(ended)
	watching.Wait()
	r := report{Status: int(status), Why: why}
	if status.Signaled() {
		return r, 128 + int(status.Signal())
	}
	return r, status.ExitStatus()
}

// mapUser maps a user without powers into the namespace. The program outside can't do that:
// if other programs can't read its memory, it can't change what belongs to its children.
func (s *spec) mapUser() error {
	if s.UID == 0 {
		return nil
	}
	return errors.Join(
		os.WriteFile("/proc/self/uid_map", fmt.Appendf(nil, "%d %d 1", s.UID, s.UID), 0),
		os.WriteFile("/proc/self/setgroups", []byte("deny"), 0),
		os.WriteFile("/proc/self/gid_map", fmt.Appendf(nil, "%d %d 1", s.GID, s.GID), 0),
	)
}

// prepare makes the view, and sets the limits of the command.
func (s *spec) prepare() error {
	// The command must not read the memory and the files of this process.
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
	s.limit()
	_, _ = unix.KeyctlJoinSessionKeyring("")                    // a system may have no keys at all
	return errors.Join(closeMount("/dev"), closeMount("/proc")) // root could change the system with /proc
}

// bound sets limits if the kernel lets it. That it does not is no error: a command has a
// timeout in any case.
func (s *spec) bound() {
	_ = unix.Prlimit(0, unix.RLIMIT_CORE, &unix.Rlimit{}, nil)
	_ = unix.Prlimit(0, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: maxFileSize, Max: maxFileSize}, nil)
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("900"), 0)
}

// limit sets the limits for which it needs /proc. All has to be mounted by then, because a
// mount that is not attached yet counts as a namespace.
func (s *spec) limit() {
	// Without namespaces below this one the command can't mount anything, such as a
	// cgroup of its own, and all its processes count for the limit.
	for _, kind := range []string{"user", "mnt", "pid", "net", "cgroup"} {
		_ = os.WriteFile("/proc/sys/user/max_"+kind+"_namespaces", []byte("0"), 0)
	}
	_ = unix.Prlimit(0, unix.RLIMIT_NPROC, &unix.Rlimit{Cur: maxProcesses, Max: maxProcesses}, nil)
	if kernelAtLeast(6, 14) { // older kernels have one number for the whole system
		_ = os.WriteFile("/proc/sys/kernel/pid_max", fmt.Append(nil, maxProcesses), 0)
	}
}

// loopback brings up the only interface of the new network namespace.
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

// start starts the command without the capabilities that made its view.
func (s *spec) start() (pid int, err error) {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return 0, fmt.Errorf("no new privileges: %w", err)
	}
	if err := s.Plan.restrict(); err != nil {
		return 0, err
	}
	if s.Offline { // a network namespace does not stop sockets to the host of a virtual machine
		if err := restrict.Sockets(unix.AF_UNIX, unix.AF_NETLINK, unix.AF_INET, unix.AF_INET6); err != nil {
			return 0, fmt.Errorf("network: %w", err)
		}
	}
	// A command of root keeps what it takes to install software.
	if err := restrict.Powers(unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_FSETID,
		unix.CAP_SETGID, unix.CAP_SETUID, unix.CAP_KILL, unix.CAP_NET_BIND_SERVICE); err != nil {
		return 0, err
	}
	// Open files that this program has inherited, such as a folder, lead out of the view.
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

// startThreads starts the threads that this process may need, which the runtime keeps: once
// the command runs, it may have used up what the namespace allows, and a program that gets
// no thread ends. What runs here takes turns, so that few are enough.
func startThreads() {
	const enough = 3 // beside those that wait for something
	var all conc.WaitGroup
	var started sync.WaitGroup
	started.Add(enough)
	for range enough {
		all.Go(func() {
			runtime.LockOSThread() // so that each goroutine has a thread
			defer runtime.UnlockOSThread()
			started.Done()
			started.Wait()
		})
	}
	all.Wait()
}

// late is how long processes that the command left behind may go on, to print the rest.
const late = 250 * time.Millisecond

// reap waits for the command, and a little for the processes that it left behind. The
// kernel kills those that remain when this process ends.
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

// kernelAtLeast reports whether the kernel has that version or a newer one.
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
