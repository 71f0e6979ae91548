//go:build amd64 || arm64

package restrict

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Offsets in struct seccomp_data, see seccomp(2). Both processors are little-endian: the
// lower half of an argument comes first.
const (
	dataNumber = 0
	dataArch   = 4
	dataFirst  = 16 // argument
)

// Sockets refuses the calling thread, and the programs that it starts, all sockets except
// those of some families. System calls of another processor, and io_uring, which would
// evade that, fail as if they did not exist. The thread has to have given up new privileges.
func Sockets(families ...uint32) error {
	program := filter(families)
	rules := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&rules)), 0, 0)
}

func filter(families []uint32) []unix.SockFilter {
	const (
		missing = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
		refused = unix.SECCOMP_RET_ERRNO | uint32(unix.EACCES)
	)
	n := uint8(len(families))
	program := []unix.SockFilter{
		load(dataArch),
		unlessEqual(processor(), 8+n), // → missing
		load(dataNumber),
		whenAtLeast(otherTable, 6+n),            // → missing
		whenEqual(unix.SYS_IO_URING_SETUP, 5+n), // → missing
		whenEqual(unix.SYS_SOCKET, 1),           // → the family
		result(unix.SECCOMP_RET_ALLOW),          //
		load(dataFirst),                         // the family
	}
	for i, family := range families {
		program = append(program, whenEqual(family, n-uint8(i))) // → allowed
	}
	return append(program,
		result(refused),                //
		result(unix.SECCOMP_RET_ALLOW), // allowed
		result(missing),                // missing
	)
}

// otherTable is the first number of the x32 system calls of amd64.
const otherTable = 0x40000000

func processor() uint32 {
	if runtime.GOARCH == "arm64" {
		return unix.AUDIT_ARCH_AARCH64
	}
	return unix.AUDIT_ARCH_X86_64
}

func load(at uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
}

func result(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }

// The jumps skip that many instructions.
func whenEqual(k uint32, skip uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: k, Jt: skip}
}

func unlessEqual(k uint32, skip uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: k, Jf: skip}
}

func whenAtLeast(k uint32, skip uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, K: k, Jt: skip}
}
