package machine

import "golang.org/x/sys/unix"

func osMemory() uint64 {
	n, _ := unix.SysctlUint64("hw.memsize")
	return n
}

func osKernel() string {
	s, _ := unix.Sysctl("kern.osrelease")
	return s
}
