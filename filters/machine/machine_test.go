package machine

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/cpuid/v2"
	"pgregory.net/rapid"
)

// files makes a root directory from pairs of path and content.
func files(pairs ...string) fstest.MapFS {
	root := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		root[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1] + "\n")}
	}
	return root
}

func cacheFiles(index, level, kind, size, line, shared string) []string {
	dir := "sys/devices/system/cpu/cpu0/cache/index" + index + "/"
	return []string{dir + "level", level, dir + "type", kind, dir + "size", size, dir + "coherency_line_size", line, dir + "shared_cpu_list", shared}
}

// zen3 is what a virtual machine on an AMD EPYC shows.
var zen3 = slices.Concat(
	cacheFiles("0", "1", "Data", "32K", "64", "0"),
	cacheFiles("1", "1", "Instruction", "64K", "64", "0"),
	cacheFiles("2", "2", "Unified", "512K", "64", "0"),
	cacheFiles("3", "3", "Unified", "32768K", "64", "0-7,16"),
)

func TestReadLinux(t *testing.T) {
	root := files(append(zen3,
		"proc/cpuinfo", "processor\t: 0\nmodel name\t: AMD EPYC\ncpu MHz\t\t: 2445.404\nflags\t\t: fpu avx2 hypervisor\n\nprocessor\t: 1\nmodel name\t: other",
		"proc/meminfo", "MemTotal:       16384000 kB\nMemFree:         1000000 kB\nMemAvailable:    9000000 kB",
		"proc/loadavg", "0.20 0.14 0.08 2/94 8155",
		"proc/sys/kernel/osrelease", "6.1.0-18-amd64",
		"sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never",
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance",
		"sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3500000",
	)...)
	cpu := cpuid.CPUInfo{BrandName: "AMD EPYC  7763 ", VendorString: "AuthenticAMD", Family: 25, Model: 1, Stepping: 1}
	cpu.Enable(cpuid.AVX2, cpuid.BMI2)
	want := Info{
		Brand: "AMD EPYC 7763", Vendor: "AuthenticAMD", Family: 25, Model: 1, Stepping: 1,
		Features:   []string{"bmi2", "avx2"},
		VM:         true,
		L1d:        Cache{1, 32 << 10, 64, "0", Sysfs},
		L2:         Cache{2, 512 << 10, 64, "0", Sysfs},
		L3:         Cache{3, 32 << 20, 64, "0-7,16", Sysfs},
		LineSize:   64,
		LineSource: Sysfs,
		MemTotal:   16384000 << 10, MemAvailable: 9000000 << 10,
		Kernel: "6.1.0-18-amd64", THP: "madvise",
		Governor: "performance", Hz: 2445404000, MaxHz: 3500000000, Load: "0.20 0.14 0.08",
	}
	if diff := cmp.Diff(want, Read(root, cpu)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestReadArm(t *testing.T) {
	root := files("proc/cpuinfo", "processor\t: 0\nBogoMIPS\t: 243.75\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n")
	if got, want := Read(root, cpuid.CPUInfo{}).Brand, "ARM implementer 0x41 part 0xd0c"; got != want {
		t.Errorf("brand %q, want %q", got, want)
	}
}

func mockCPU(l1d, l2, l3, line int) (cpu cpuid.CPUInfo) {
	cpu.Cache.L1D, cpu.Cache.L2, cpu.Cache.L3, cpu.CacheLine = l1d, l2, l3, line
	return cpu
}

// TestCacheSources: sizes of 0 and -1 are reported by some CPUs and hypervisors
// (klauspost/cpuid#85, OpenMathLib/OpenBLAS#4609); none may come out of here.
func TestCacheSources(t *testing.T) {
	type caches [3]Cache
	for _, c := range []struct {
		name string
		root fstest.MapFS
		cpu  cpuid.CPUInfo
		want caches
	}{
		{"sysfs goes before cpuid", files(zen3...), mockCPU(1, 2, 3, 64), caches{
			{1, 32 << 10, 64, "0", Sysfs}, {2, 512 << 10, 64, "0", Sysfs}, {3, 32 << 20, 64, "0-7,16", Sysfs}}},
		{"no sysfs", files(), mockCPU(48<<10, 2<<20, 300<<20, 64), caches{
			{1, 48 << 10, 0, "", CPUID}, {2, 2 << 20, 0, "", CPUID}, {3, 300 << 20, 0, "", CPUID}}},
		{"nothing known, -1", files(), mockCPU(-1, -1, -1, 0), caches{
			{1, 32 << 10, 0, "", Default}, {2, 1 << 20, 0, "", Default}, {3, 32 << 20, 0, "", Default}}},
		{"nothing known, 0", files(), mockCPU(0, 0, 0, 0), caches{
			{1, 32 << 10, 0, "", Default}, {2, 1 << 20, 0, "", Default}, {3, 32 << 20, 0, "", Default}}},
		{"sysfs without an L3", files(zen3[:30]...), mockCPU(0, 0, -1, 0), caches{
			{1, 32 << 10, 64, "0", Sysfs}, {2, 512 << 10, 64, "0", Sysfs}, {3, 32 << 20, 0, "", Default}}},
		{"sysfs says 0 and nonsense", files(slices.Concat(
			cacheFiles("0", "1", "Data", "0K", "0", ""), cacheFiles("1", "2", "Unified", "-1", "-1", ""), cacheFiles("2", "3", "Unified", "many", "", ""))...),
			mockCPU(48<<10, 0, 0, 0), caches{
				{1, 48 << 10, 0, "", CPUID}, {2, 1 << 20, 0, "", Default}, {3, 32 << 20, 0, "", Default}}},
		{"a default is never below an inner level", files(), mockCPU(64<<10, 64<<20, 0, 0), caches{
			{1, 64 << 10, 0, "", CPUID}, {2, 64 << 20, 0, "", CPUID}, {3, 64 << 20, 0, "", Default}}},
		{"only an instruction cache in sysfs", files(cacheFiles("0", "1", "Instruction", "64K", "64", "0")...), mockCPU(32<<10, 0, 0, 0), caches{
			{1, 32 << 10, 0, "", CPUID}, {2, 1 << 20, 0, "", Default}, {3, 32 << 20, 0, "", Default}}},
	} {
		got := Read(c.root, c.cpu)
		if diff := cmp.Diff(c.want, caches{got.L1d, got.L2, got.L3}); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", c.name, diff)
		}
	}
}

func TestLineSize(t *testing.T) {
	for _, c := range []struct {
		sysfs  string
		cpuid  int
		want   int
		source Source
	}{
		{"64", 128, 64, Sysfs}, {"128", 64, 128, Sysfs}, {"256", 0, 128, Sysfs}, {"32", 0, 64, Sysfs},
		{"0", 128, 128, CPUID}, {"-1", 64, 64, CPUID}, {"", 0, 64, Default}, {"x", -1, 64, Default},
	} {
		got := Read(files(cacheFiles("0", "1", "Data", "32K", c.sysfs, "0")...), mockCPU(0, 0, 0, c.cpuid))
		if got.LineSize != c.want || got.LineSource != c.source {
			t.Errorf("sysfs %q, cpuid %d: %d from %s, want %d from %s", c.sysfs, c.cpuid, got.LineSize, got.LineSource, c.want, c.source)
		}
	}
	if line := LineSize(); line != 64 && line != 128 {
		t.Errorf("line of %d bytes on this machine", line)
	}
}

func TestAvailable(t *testing.T) {
	const (
		meminfo = "MemTotal: 1000 kB\nMemFree: 300 kB\nMemAvailable: 500 kB"
		v1      = "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory"
		v2      = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw"
	)
	for _, c := range []struct {
		name  string
		files []string
		kib   uint64 // 0 where it must not be known
	}{
		{"nothing", nil, 0},
		{"no cgroup", []string{"proc/meminfo", meminfo}, 500},
		{"old kernel", []string{"proc/meminfo", "MemTotal: 1000 kB\nMemFree: 300 kB"}, 300},
		{"nonsense", []string{"proc/meminfo", "MemAvailable: many kB\nMemAvailable", "proc/self/cgroup", "0:memory", "proc/self/mountinfo", "1 2 3 - cgroup2"}, 0},
		{"v2 limit less reclaimable cache", []string{"proc/meminfo", meminfo, "proc/self/cgroup", "0::/a", "proc/self/mountinfo", v2,
			"sys/fs/cgroup/a/memory.max", "204800", "sys/fs/cgroup/a/memory.current", "102400", "sys/fs/cgroup/a/memory.stat", "anon 81920\ninactive_file 20480"}, 120},
		{"v2 without limit", []string{"proc/meminfo", meminfo, "proc/self/cgroup", "0::/a", "proc/self/mountinfo", v2,
			"sys/fs/cgroup/a/memory.max", "max", "sys/fs/cgroup/a/memory.current", "102400"}, 500},
		{"v2 ancestor is tighter", []string{"proc/meminfo", meminfo, "proc/self/cgroup", "0::/a/b/c", "proc/self/mountinfo", v2,
			"sys/fs/cgroup/a/memory.max", "102400", "sys/fs/cgroup/a/memory.current", "51200", "sys/fs/cgroup/a/b/c/memory.max", "409600", "sys/fs/cgroup/a/b/c/memory.current", "0"}, 50},
		{"v2 above its limit", []string{"proc/meminfo", meminfo, "proc/self/cgroup", "0::/", "proc/self/mountinfo", v2,
			"sys/fs/cgroup/memory.max", "1024", "sys/fs/cgroup/memory.current", "2048"}, 0},
		{"v1 limit", []string{"proc/meminfo", meminfo, "proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:/a\n0::/", "proc/self/mountinfo", v1 + "\n" + v2,
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes", "409600", "sys/fs/cgroup/memory/a/memory.usage_in_bytes", "204800", "sys/fs/cgroup/memory/a/memory.stat", "inactive_file 1\ntotal_inactive_file 102400"}, 300},
		{"v1 without limit", []string{"proc/meminfo", meminfo, "proc/self/cgroup", "4:memory:/", "proc/self/mountinfo", v1,
			"sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712", "sys/fs/cgroup/memory/memory.usage_in_bytes", "1"}, 500},
		{"container sees its part of the host's hierarchy", []string{"proc/meminfo", meminfo, "proc/self/cgroup", "4:memory:/docker/x/y", "proc/self/mountinfo",
			"35 31 0:32 /docker/x /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory",
			"sys/fs/cgroup/memory/y/memory.limit_in_bytes", "102400", "sys/fs/cgroup/memory/memory.limit_in_bytes", "204800"}, 100},
		{"group outside of the mount", []string{"proc/meminfo", meminfo, "proc/self/cgroup", "0::/docker/xx", "proc/self/mountinfo",
			"35 31 0:32 /docker/x /sys/fs/cgroup rw - cgroup2 cgroup2 rw",
			"sys/fs/cgroup/memory.max", "102400", "sys/fs/cgroup/x/memory.max", "1"}, 100},
		{"limit but no meminfo", []string{"proc/self/cgroup", "0::/", "proc/self/mountinfo", v2, "sys/fs/cgroup/memory.max", "102400"}, 100},
	} {
		got, ok := available(files(c.files...))
		wantOK := c.kib > 0 || c.name == "v2 above its limit"
		if got != c.kib<<10 || ok != wantOK {
			t.Errorf("%s: %d bytes, known %v; want %d, %v", c.name, got, ok, c.kib<<10, wantOK)
		}
	}
}

// TestHostileFiles: whatever the files say, sizes are positive.
func TestHostileFiles(t *testing.T) {
	content := rapid.OneOf(rapid.String(), rapid.StringMatching(`[-0-9KMGx: \n]{0,30}`), rapid.SampledFrom([]string{"18446744073709551615", "4294967295G", "-1", "0"}))
	rapid.Check(t, func(t *rapid.T) {
		root := fstest.MapFS{}
		for _, path := range []string{"proc/cpuinfo", "proc/meminfo", "proc/loadavg", "proc/self/cgroup", "proc/self/mountinfo", "sys/kernel/mm/transparent_hugepage/enabled", "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "sys/fs/cgroup/memory.max"} {
			root[path] = &fstest.MapFile{Data: []byte(content.Draw(t, path))}
		}
		for _, index := range []string{"0", "1", "2"} {
			for i, pair := 0, cacheFiles(index, content.Draw(t, "level"), "Unified", content.Draw(t, "size"), content.Draw(t, "line"), "0"); i < len(pair); i += 2 {
				root[pair[i]] = &fstest.MapFile{Data: []byte(pair[i+1])}
			}
		}
		i := Read(root, mockCPU(rapid.Int().Draw(t, "l1"), rapid.Int().Draw(t, "l2"), rapid.Int().Draw(t, "l3"), rapid.Int().Draw(t, "line")))
		for _, c := range []Cache{i.L1d, i.L2, i.L3} {
			if c.Size == 0 || c.Line < 0 || c.Source == "" {
				t.Fatalf("cache %+v", c)
			}
		}
		if i.LineSize != 64 && i.LineSize != 128 {
			t.Fatalf("line of %d bytes", i.LineSize)
		}
	})
}

func TestThis(t *testing.T) {
	i := This()
	if i.LogicalCPUs < 1 || i.PageSize < 4096 || i.OS != runtime.GOOS || i.Arch != runtime.GOARCH || i.LineSize != LineSize() {
		t.Errorf("%+v", i)
	}
	if runtime.GOOS == "linux" {
		if i.Kernel == "" || i.MemTotal == 0 || i.MemAvailable == 0 || i.MemAvailable > i.MemTotal {
			t.Errorf("%+v", i)
		}
		if n, ok := Available(); !ok || n == 0 {
			t.Errorf("available: %d, known %v", n, ok)
		}
		if _, err := os.Stat("/sys/devices/system/cpu/cpu0/cache/index0/size"); err == nil && i.L1d.Source != Sysfs {
			t.Errorf("sysfs is there, and the L1 comes from %s", i.L1d.Source)
		}
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct {
		bytes uint64
		want  string
	}{
		{0, "0 B"}, {1023, "1023 B"}, {1024, "1 KiB"}, {48 << 10, "48 KiB"}, {1536, "1.5 KiB"}, {2 << 20, "2 MiB"},
		{13421772800, "12.5 GiB"}, {300 << 20, "300 MiB"}, {1 << 40, "1 TiB"}, {1 << 63, "8 EiB"}, {1<<64 - 1, "16.0 EiB"},
	} {
		if got := FormatBytes(c.bytes); got != c.want {
			t.Errorf("%d bytes are %q, want %q", c.bytes, got, c.want)
		}
	}
	for want, c := range map[string]Cache{
		"L1d 32 KiB, lines of 64 bytes (sysfs)":                       {1, 32 << 10, 64, "0", Sysfs},
		"L3 32 MiB, lines of 64 bytes, shared by CPUs 0-7,16 (sysfs)": {3, 32 << 20, 64, "0-7,16", Sysfs},
		"L2 1 MiB (default)":                                          {2, 1 << 20, 0, "", Default},
	} {
		if got := c.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if c.Known() != !strings.Contains(want, "default") {
			t.Errorf("%s: known %v", want, c.Known())
		}
	}
}

// The data cache says how many lines its sets have, and not the one of
// instructions; what is missing, or no number, is 0.
func TestWays(t *testing.T) {
	const index = "sys/devices/system/cpu/cpu0/cache/index"
	pairs := slices.Concat(zen3, []string{
		index + "0/ways_of_associativity", "8", index + "1/ways_of_associativity", "4",
		index + "2/ways_of_associativity", "many",
	})
	if got := Read(files(pairs...), cpuid.CPUInfo{}).Ways; got != [3]int{8, 0, 0} {
		t.Errorf("%v", got)
	}
}
