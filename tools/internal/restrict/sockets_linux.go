//go:build amd64 || arm64

package restrict

import (
	"runtime"
	"unsafe"

	"golang.org/x/net/bpf"
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
	instructions, err := bpf.Assemble(filter(families))
	if err != nil {
		return err
	}
	var program []unix.SockFilter
	for _, i := range instructions {
		program = append(program, unix.SockFilter{Code: i.Op, Jt: i.Jt, Jf: i.Jf, K: i.K})
	}
	rules := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&rules)), 0, 0)
}

// filter returns a program whose jumps skip so many instructions.
func filter(families []uint32) []bpf.Instruction {
	const (
		missing = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
		refused = unix.SECCOMP_RET_ERRNO | uint32(unix.EACCES)
	)
	n := uint8(len(families))
	program := []bpf.Instruction{
		load(dataArch),
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: processor(), SkipTrue: 8 + n}, // → missing
		load(dataNumber),
		bpf.JumpIf{Cond: bpf.JumpGreaterOrEqual, Val: otherTable, SkipTrue: 6 + n}, // → missing
		bpf.JumpIf{Val: unix.SYS_IO_URING_SETUP, SkipTrue: 5 + n},                  // → missing
		bpf.JumpIf{Val: unix.SYS_SOCKET, SkipTrue: 1},                              // → the family
		bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW},
		load(dataFirst), // the family
	}
	for i, family := range families {
		program = append(program, bpf.JumpIf{Val: family, SkipTrue: n - uint8(i)}) // → allowed
	}
	return append(program,
		bpf.RetConstant{Val: refused},
		bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}, // allowed
		bpf.RetConstant{Val: missing},                // missing
	)
}

func load(at uint32) bpf.Instruction { return bpf.LoadAbsolute{Off: at, Size: 4} }

// otherTable is the first number of the x32 system calls of amd64.
const otherTable = 0x40000000

func processor() uint32 {
	if runtime.GOARCH == "arm64" {
		return unix.AUDIT_ARCH_AARCH64
	}
	return unix.AUDIT_ARCH_X86_64
}
