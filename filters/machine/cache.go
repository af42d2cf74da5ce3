package machine

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// Cache is one level of the data cache as CPU 0 sees it.
type Cache struct {
	Level  int
	Size   uint64 // bytes; positive whatever the source
	Line   int    // bytes; 0 if unknown
	Shared string // list of the CPUs that share it, "0-7,16"; empty if unknown
	Source Source // of Size
}

// Known reports whether the size is a fact and not a default.
func (c Cache) Known() bool { return c.Source != Default }

// Name is "L1d", "L2" or "L3".
func (c Cache) Name() string {
	if c.Level == 1 {
		return "L1d"
	}
	return "L" + strconv.Itoa(c.Level)
}

// String is one line, such as
// "L3 32 MiB, lines of 64 bytes, shared by CPUs 0-7 (sysfs)".
func (c Cache) String() string {
	s := c.Name() + " " + FormatBytes(c.Size)
	if c.Line > 0 {
		s += fmt.Sprintf(", lines of %d bytes", c.Line)
	}
	if strings.ContainsAny(c.Shared, ",-") { // more than one
		s += ", shared by CPUs " + c.Shared
	}
	return s + " (" + string(c.Source) + ")"
}

// The sizes that stand in for unknown ones, typical of servers of the 2020s.
const (
	defaultL1d = 32 << 10
	defaultL2  = 1 << 20
	defaultL3  = 32 << 20
)

// readCaches finds the size of each level: sysfs, cpuid, what was given, default.
// Either of the first two may lack a level or say 0 or -1 for it, under some
// hypervisors and on many ARM machines.
func readCaches(root fs.FS, cpu cpuid.CPUInfo, given sizes) (l1d, l2, l3 Cache) {
	levels := [3]Cache{{Level: 1}, {Level: 2}, {Level: 3}}
	fromCPUID := [3]int{cpu.Cache.L1D, cpu.Cache.L2, cpu.Cache.L3}
	defaults := [3]uint64{defaultL1d, defaultL2, defaultL3}
	for i := range levels {
		c := &levels[i]
		*c = sysfsCache(root, c.Level)
		switch {
		case c.Size > 0:
			c.Source = Sysfs
		case fromCPUID[i] > 0:
			c.Size, c.Source = uint64(fromCPUID[i]), CPUID
		case given[i] > 0:
			c.Size, c.Source = given[i], Given
		default:
			c.Size, c.Source = defaults[i], Default
			if i > 0 { // a default must not be smaller than a known inner level
				c.Size = max(c.Size, levels[i-1].Size)
			}
		}
	}
	return levels[0], levels[1], levels[2]
}

// sysfsCache looks up a level among the caches of CPU 0; Size is 0 if it is not
// there.
func sysfsCache(root fs.FS, level int) Cache {
	found := Cache{Level: level}
	dirs, _ := fs.Glob(root, "sys/devices/system/cpu/cpu0/cache/index*")
	for _, dir := range dirs {
		if readUint(root, dir+"/level") != uint64(level) || readString(root, dir+"/type") == "Instruction" {
			continue
		}
		found.Size = parseSize(readString(root, dir+"/size"))
		found.Line = int(min(readUint(root, dir+"/coherency_line_size"), 4096))
		found.Shared = readString(root, dir+"/shared_cpu_list")
		if found.Size > 0 {
			break
		}
	}
	return found
}

// readWays finds how many lines a set of each level has; 0 where sysfs does not
// say.
func readWays(root fs.FS) (ways [3]int) {
	for i := range ways {
		dirs, _ := fs.Glob(root, "sys/devices/system/cpu/cpu0/cache/index*")
		for _, dir := range dirs {
			if readUint(root, dir+"/level") == uint64(i+1) && readString(root, dir+"/type") != "Instruction" {
				ways[i] = int(min(readUint(root, dir+"/ways_of_associativity"), 1<<16))
			}
		}
	}
	return ways
}

// readLine finds the length of a cache line. Filters are laid out for 64 or 128
// bytes, so longer lines (256 on s390x) count as 128 and others as 64.
func readLine(root fs.FS, cpu cpuid.CPUInfo) (int, Source) {
	line, source := sysfsCache(root, 1).Line, Sysfs
	if line <= 0 {
		line, source = cpu.CacheLine, CPUID
	}
	switch {
	case line >= 128:
		return 128, source
	case line > 0:
		return 64, source
	}
	return 64, Default
}

// parseSize reads sysfs's "48K" or "32M" into bytes; 0 for anything else.
func parseSize(s string) uint64 {
	shift := 0
	switch {
	case strings.HasSuffix(s, "K"):
		shift = 10
	case strings.HasSuffix(s, "M"):
		shift = 20
	case strings.HasSuffix(s, "G"):
		shift = 30
	}
	if shift > 0 {
		s = s[:len(s)-1]
	}
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil {
		return 0
	}
	return n << shift
}
