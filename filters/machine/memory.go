package machine

import (
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
)

// Available is how many bytes can be allocated now without swapping and without
// being killed for it: the least of the kernel's MemAvailable and of what each
// memory cgroup around this process leaves. ok is false where that is not known;
// bytes is then the whole memory, or 0.
func Available() (bytes uint64, ok bool) {
	if bytes, ok = available(os.DirFS("/")); ok {
		return bytes, true
	}
	return osMemory(), false
}

func available(root fs.FS) (bytes uint64, ok bool) {
	bytes = meminfo(root, "MemAvailable")
	if bytes == 0 {
		bytes = meminfo(root, "MemFree")
	}
	ok = bytes > 0
	for _, g := range cgroups(root) {
		if left, limited := g.left(root); limited && (!ok || left < bytes) {
			bytes, ok = left, true
		}
	}
	return bytes, ok
}

// meminfo returns a line of /proc/meminfo in bytes, 0 if there is none.
func meminfo(root fs.FS, name string) uint64 {
	for line := range strings.Lines(readString(root, "proc/meminfo")) {
		f := strings.Fields(line)
		if len(f) >= 2 && f[0] == name+":" {
			kib, _ := strconv.ParseUint(f[1], 10, 53)
			return kib << 10
		}
	}
	return 0
}

// cgroup is a directory of a memory control group.
type cgroup struct {
	dir string
	v2  bool
}

// cgroups lists the memory control groups of this process with all their
// ancestors, since each of them may set a limit.
func cgroups(root fs.FS) []cgroup {
	var groups []cgroup
	for line := range strings.Lines(readString(root, "proc/self/cgroup")) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3) // hierarchy:controllers:path
		if len(f) != 3 {
			continue
		}
		v2 := f[0] == "0" && f[1] == ""
		if !v2 && !hasWord(f[1], "memory") {
			continue
		}
		mount, dir := cgroupMount(root, v2, f[2])
		if mount == "" {
			continue
		}
		for {
			groups = append(groups, cgroup{path.Join(mount, dir), v2})
			if dir == "/" {
				break
			}
			dir = path.Dir(dir)
		}
	}
	return groups
}

// cgroupMount finds where the hierarchy is mounted, without the leading slash,
// and where the group lies below that. A container may see only its own part of
// the hierarchy: the mount's root is then a prefix of the group's path, or the
// group is not below it at all and the mount itself is the nearest ancestor.
func cgroupMount(root fs.FS, v2 bool, group string) (mount, dir string) {
	for line := range strings.Lines(readString(root, "proc/self/mountinfo")) {
		before, after, ok := strings.Cut(strings.TrimSpace(line), " - ")
		f, g := strings.Fields(before), strings.Fields(after) // proc(5)
		if !ok || len(f) < 5 || len(g) < 3 {
			continue
		}
		if v2 && g[0] != "cgroup2" || !v2 && !(g[0] == "cgroup" && hasWord(g[2], "memory")) {
			continue
		}
		mount = strings.TrimPrefix(path.Clean(f[4]), "/")
		below, inside := strings.CutPrefix(path.Clean("/"+group)+"/", strings.TrimSuffix(f[3], "/")+"/")
		if !inside {
			return mount, "/"
		}
		return mount, path.Clean("/" + below)
	}
	return "", ""
}

// left is what the group may still take, reclaimable page cache included;
// limited is false where it sets no limit.
func (g cgroup) left(root fs.FS) (bytes uint64, limited bool) {
	limitFile, usageFile, cache := "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
	if g.v2 {
		limitFile, usageFile, cache = "memory.max", "memory.current", "inactive_file"
	}
	// No limit is "max" in version 2 and a number near 2^63 in version 1.
	limit, err := strconv.ParseUint(readString(root, path.Join(g.dir, limitFile)), 10, 64)
	if err != nil || limit >= 1<<62 {
		return 0, false
	}
	used := readUint(root, path.Join(g.dir, usageFile))
	for line := range strings.Lines(readString(root, path.Join(g.dir, "memory.stat"))) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == cache {
			n, _ := strconv.ParseUint(f[1], 10, 64)
			used -= min(used, n)
		}
	}
	return limit - min(limit, used), true
}

// hasWord reports whether a list with commas holds the word.
func hasWord(list, word string) bool {
	return strings.Contains(","+list+",", ","+word+",")
}
