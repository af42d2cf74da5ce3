// Package machine says what a measurement ran on: the CPU and its caches, the
// memory that may be used, the kernel and how it handles pages and clock.
//
// Linux is asked through /proc and /sys first, since those see what the
// hypervisor and the firmware declare; then the CPU itself, by cpuid; then the
// user, by Assume; then comes a default. Every cache says which of these its size came from, so that
// nobody takes a default for a fact. Other systems are asked by cpuid alone and
// leave empty what it does not know.
package machine

import (
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"sync"

	"github.com/klauspost/cpuid/v2"
)

// Info describes a machine. Strings that are not known are empty, numbers 0.
type Info struct {
	Brand, Vendor           string
	Family, Model, Stepping int
	Features                []string // those that filters can use, lower case
	VM                      bool     // a hypervisor shows itself
	LogicalCPUs             int      // that this process may run on

	L1d, L2, L3 Cache  // sizes are always positive, see Cache.Source
	Ways        [3]int // lines in a set of L1d, L2 and L3; 0 if unknown
	LineSize    int    // cache line in bytes: 64 or 128
	LineSource  Source

	MemTotal uint64 // bytes
	// MemAvailable is what can be allocated now without swapping: the least
	// of what the kernel estimates and what each memory cgroup leaves, bytes.
	MemAvailable uint64

	OS, Arch string // as GOOS and GOARCH
	Kernel   string // release
	PageSize int    // bytes
	THP      string // transparent huge pages: always, madvise or never
	Governor string // of CPU 0
	Hz       uint64 // clock of CPU 0 just now
	MaxHz    uint64 // highest clock of CPU 0
	Load     string // load averages of 1, 5 and 15 minutes, "0.20 0.14 0.08"
}

// Source says where a fact comes from.
type Source string

// The sources, in the order in which they are asked.
const (
	Sysfs   Source = "sysfs"
	CPUID   Source = "cpuid"
	Given   Source = "given"   // by the user: see Assume
	Default Source = "default" // nothing else was known; not a fact
)

// This reads what is known of this machine, now.
func This() Info {
	var given sizes
	if g := assumed.Load(); g != nil {
		given = *g
	}
	i := read(os.DirFS("/"), cpuid.CPU, given)
	i.LogicalCPUs = runtime.NumCPU()
	i.OS, i.Arch, i.PageSize = runtime.GOOS, runtime.GOARCH, os.Getpagesize()
	if i.Kernel == "" {
		i.Kernel = osKernel()
	}
	if i.MemTotal == 0 {
		i.MemTotal = osMemory()
	}
	return i
}

// LineSize is the cache line of this machine in bytes: 64 or 128.
func LineSize() int { return lineSize() }

var lineSize = sync.OnceValue(func() int {
	line, _ := readLine(os.DirFS("/"), cpuid.CPU)
	return line
})

// Read reads a description from a root directory that holds proc and sys, and
// from what cpuid found. It leaves out what only the running process knows:
// LogicalCPUs, OS, Arch and PageSize.
func Read(root fs.FS, cpu cpuid.CPUInfo) Info { return read(root, cpu, sizes{}) }

func read(root fs.FS, cpu cpuid.CPUInfo, given sizes) Info {
	i := Info{
		Brand:    strings.Join(strings.Fields(cpu.BrandName), " "),
		Vendor:   cpu.VendorString,
		Family:   max(cpu.Family, 0),
		Model:    max(cpu.Model, 0),
		Stepping: max(cpu.Stepping, 0),
		Features: features(cpu),
		VM:       cpu.VM(),
		Kernel:   readString(root, "proc/sys/kernel/osrelease"),
		THP:      bracketed(readString(root, "sys/kernel/mm/transparent_hugepage/enabled")),
		Governor: readString(root, cpufreq+"scaling_governor"),
		Hz:       readUint(root, cpufreq+"scaling_cur_freq") * 1000,
		MaxHz:    readUint(root, cpufreq+"cpuinfo_max_freq") * 1000,
	}
	info := readCPUInfo(root)
	if i.Brand == "" {
		i.Brand = info.brand
	}
	i.VM = i.VM || info.hypervisor
	if i.Hz == 0 {
		i.Hz = info.hz
	}
	if i.MaxHz == 0 && cpu.BoostFreq > 0 {
		i.MaxHz = uint64(cpu.BoostFreq)
	}
	i.L1d, i.L2, i.L3 = readCaches(root, cpu, given)
	i.Ways = readWays(root)
	i.LineSize, i.LineSource = readLine(root, cpu)
	i.MemTotal = meminfo(root, "MemTotal")
	i.MemAvailable, _ = available(root)
	if f := strings.Fields(readString(root, "proc/loadavg")); len(f) >= 3 {
		i.Load = strings.Join(f[:3], " ")
	}
	return i
}

const cpufreq = "sys/devices/system/cpu/cpu0/cpufreq/"

// FormatBytes writes a number of bytes for people, in binary units with one
// decimal where the unit does not divide it: "512 B", "48 KiB", "12.5 GiB".
func FormatBytes(n uint64) string {
	const units = "KMGTPE"
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	u, size := 0, uint64(1024)
	for u+1 < len(units) && n/1024 >= size {
		size *= 1024
		u++
	}
	if n%size == 0 {
		return fmt.Sprintf("%d %ciB", n/size, units[u])
	}
	return fmt.Sprintf("%.1f %ciB", float64(n)/float64(size), units[u])
}
