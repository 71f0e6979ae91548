package shell

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// commands are the running commands. Each has a session of its own, so that a process which
// has left the process group of its command is still found. One that has left the session,
// too, becomes a child of this process if that reaps orphans (PR_SET_CHILD_SUBREAPER in
// prctl(2)). Nothing says whose it was: it is killed when no command is running any more.
var commands struct {
	sync.Mutex // held while one starts, and while orphans are killed
	reaps      bool
	running    int
	since      uint64 // when the first untrusted one of those that run began, in ticks of the system; 0 is none
}

// ReapOrphans makes this process, for good, the parent of the processes that untrusted
// commands leave behind, so that even those with a session of their own are killed. It is
// for a program that starts no processes in other sessions itself: each child in another
// session that was born while an untrusted command ran is killed, and waited for, whoever
// started it. It has to be called before the first command. Only on Linux does it do
// anything.
func ReapOrphans() {
	commands.Lock()
	defer commands.Unlock()
	commands.reaps = true
}

// HideMemory keeps other processes of the same user, commands among them, from reading this
// one's memory and environment, where keys are. Where the kernel refuses, only rules keep
// them from it. Only on Linux does it do anything.
func HideMemory() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }

// startInSession starts a command, which counts as running until its session is ended.
func startInSession(cmd *exec.Cmd, untrusted bool) error {
	commands.Lock()
	defer commands.Unlock()
	if untrusted && commands.reaps {
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			return err
		}
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	commands.running++
	if untrusted && commands.since == 0 {
		commands.since = stat(cmd.Process.Pid).born
	}
	return nil
}

// endSession kills what a command has left in its session, if it was untrusted, and all
// orphans if no command is running any more. The command's first process, whose id is given,
// has to have ended.
func endSession(first int, untrusted bool) {
	commands.Lock()
	defer commands.Unlock()
	commands.running--
	orphans := commands.reaps && commands.running == 0 && commands.since > 0
	own, _ := unix.Getsid(0)
	for deadline := time.Now().Add(time.Second); (untrusted || orphans) && time.Now().Before(deadline); {
		candidates := children
		if !commands.reaps {
			candidates = allProcesses
		}
		left := slices.DeleteFunc(candidates(), func(pid int) bool {
			s := stat(pid)
			switch {
			case s.session == 0 || s.session == own || pid == first || s.ended && !commands.reaps:
				return true
			case s.session == first && untrusted:
				return false
			}
			return !orphans || s.born < commands.since
		})
		if len(left) == 0 {
			break
		}
		for _, pid := range left {
			kill(pid)
		}
	}
	if commands.running == 0 {
		commands.since = 0
	}
}

// kill kills a process, and waits for it if it is a child of this one, whose children then
// become children of this one, too.
func kill(pid int) {
	_ = unix.Kill(pid, unix.SIGKILL)
	for range 100 {
		n, err := unix.Wait4(pid, nil, unix.WNOHANG, nil)
		if n != 0 || err != nil && !errors.Is(err, unix.EINTR) {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// procStat is what the system reports of a process. The zero value is for none.
type procStat struct {
	session int
	born    uint64 // in ticks of the system
	ended   bool   // but nobody has waited for it
}

// stat reads proc_pid_stat(5). The name in parentheses may hold any text; the fields come
// after it.
func stat(pid int) procStat {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return procStat{}
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	const state, session, born = 0, 6 - 3, 22 - 3 // the state, the third, is the first here
	if len(fields) <= born {
		return procStat{}
	}
	s := procStat{ended: fields[state] == "Z" || fields[state] == "X"}
	s.session, _ = strconv.Atoi(fields[session])
	s.born, _ = strconv.ParseUint(fields[born], 10, 64)
	return s
}

// children returns the child processes of this one.
func children() (pids []int) {
	threads, _ := filepath.Glob("/proc/self/task/*") // to glob for a file in them would list each folder
	for _, thread := range threads {
		text, _ := os.ReadFile(filepath.Join(thread, "children")) // the thread may have ended
		for _, field := range strings.Fields(string(text)) {
			if pid, err := strconv.Atoi(field); err == nil && pid > 1 {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

func allProcesses() (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, path := range all {
		if pid, err := strconv.Atoi(filepath.Base(path)); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// KillChildren kills all children of this process, started or adopted, with their groups.
func KillChildren() {
	for _, pid := range children() {
		_ = unix.Kill(-pid, unix.SIGKILL)
		_ = unix.Kill(pid, unix.SIGKILL)
	}
}

// bound limits the size of files that a process may write, disables its core dumps, and
// has the kernel kill it first when memory is short. It ignores errors.
func bound(pid int) {
	_ = unix.Prlimit(pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: MaxPrinted, Max: MaxPrinted}, nil)
	_ = unix.Prlimit(pid, unix.RLIMIT_CORE, &unix.Rlimit{}, nil)
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid), []byte("900"), 0)
}
