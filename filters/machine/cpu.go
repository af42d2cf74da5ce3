package machine

import (
	"io/fs"
	"strconv"
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// features lists what kernels of filters can make use of, and no more: the
// full list is long and says little.
func features(cpu cpuid.CPUInfo) []string {
	var names []string
	for _, id := range []cpuid.FeatureID{
		cpuid.POPCNT, cpuid.BMI1, cpuid.BMI2, cpuid.AVX2, cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512VBMI2, cpuid.GFNI, // x86
		cpuid.ASIMD, cpuid.CRC32, cpuid.SVE, cpuid.SVE2, // arm64
	} {
		if cpu.Has(id) {
			names = append(names, strings.ToLower(id.String()))
		}
	}
	return names
}

type cpuInfo struct {
	brand      string
	hypervisor bool
	hz         uint64
}

// readCPUInfo reads the first processor of /proc/cpuinfo. ARM names its CPUs by
// implementer and part where x86 has a model name.
func readCPUInfo(root fs.FS) cpuInfo {
	var c cpuInfo
	var implementer, part string
	for line := range strings.Lines(readString(root, "proc/cpuinfo")) {
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			break // an empty line ends the first processor
		}
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(name) {
		case "model name":
			c.brand = value
		case "CPU implementer":
			implementer = value
		case "CPU part":
			part = value
		case "flags":
			c.hypervisor = strings.Contains(" "+value+" ", " hypervisor ")
		case "cpu MHz":
			if mhz, err := strconv.ParseFloat(value, 64); err == nil && mhz > 0 && mhz < 1e6 {
				c.hz = uint64(mhz * 1e6)
			}
		}
	}
	if c.brand == "" && implementer != "" {
		c.brand = "ARM implementer " + implementer + " part " + part
	}
	return c
}

// bracketed returns the chosen one of "always [madvise] never".
func bracketed(s string) string {
	_, s, _ = strings.Cut(s, "[")
	s, _, ok := strings.Cut(s, "]")
	if !ok {
		return ""
	}
	return s
}

// readString reads a small file without the white space around it, or "".
func readString(root fs.FS, path string) string {
	b, err := fs.ReadFile(root, path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// readUint reads a file that holds one number; 0 if it holds anything else.
func readUint(root fs.FS, path string) uint64 {
	n, err := strconv.ParseUint(readString(root, path), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
