package machine

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/klauspost/cpuid/v2"
)

// sizes are those of the levels L1d, L2 and L3, in bytes; 0 where not given.
type sizes [3]uint64

var assumed atomic.Pointer[sizes]

// maxCache bounds what is taken for a cache: a size beyond it is a mistake.
const maxCache = 64 << 30

// Assume gives sizes of cache levels that neither sysfs nor cpuid tells, such as
// "l1d=32KiB,l2=1MiB,l3=32MiB", to all later calls of This, in the whole process.
// An error names what is wrong with the text, or the level of which the system
// knows better.
func Assume(text string) error { return assume(text, Read(os.DirFS("/"), cpuid.CPU)) }

func assume(text string, known Info) error {
	given, err := parseSizes(text)
	if err != nil {
		return err
	}
	last := uint64(0)
	for i, c := range []Cache{known.L1d, known.L2, known.L3} {
		name := strings.ToLower(c.Name())
		if given[i] > 0 && c.Known() {
			return fmt.Errorf("%s: %s says %s, which stands; sizes are to be given of levels that the system does not tell", name, c.Source, FormatBytes(c.Size))
		}
		size := given[i]
		if c.Known() {
			size = c.Size
		}
		if size > 0 && size < last {
			return fmt.Errorf("%s: %s is less than the level before it, %s", name, FormatBytes(size), FormatBytes(last))
		}
		last = max(last, size)
	}
	assumed.Store(&given)
	return nil
}

func parseSizes(text string) (given sizes, err error) {
	const allowed = "allowed: l1d, l2 and l3 with a size each, as in l1d=32KiB,l2=1MiB,l3=32MiB"
	for _, part := range strings.Split(text, ",") {
		name, size, ok := strings.Cut(strings.TrimSpace(part), "=")
		level, is := map[string]int{"l1d": 0, "l2": 1, "l3": 2}[name]
		if !ok || !is {
			return given, fmt.Errorf("%q is no cache level; %s", part, allowed)
		}
		bytes, ok := ParseBytes(size)
		if !ok || bytes < 1<<10 || bytes > maxCache {
			return given, fmt.Errorf("%s=%q is no size of a cache; allowed: 1 KiB to %s, as in 512KiB", name, size, FormatBytes(maxCache))
		}
		if given[level] > 0 {
			return given, fmt.Errorf("%s is given twice", name)
		}
		given[level] = bytes
	}
	return given, nil
}

// ParseBytes reads a whole number of bytes, KiB, MiB or GiB: "512", "512 B",
// "48KiB" or "48 KiB".
func ParseBytes(text string) (bytes uint64, ok bool) {
	shift := 0
	text = strings.TrimSuffix(text, " B")
	for i, unit := range []string{"KiB", "MiB", "GiB"} {
		if number, found := strings.CutSuffix(text, unit); found {
			text, shift = number, 10*(i+1)
		}
	}
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
	if err != nil || n<<shift>>shift != n {
		return 0, false
	}
	return n << shift, true
}
