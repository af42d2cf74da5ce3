package theory

import "testing"

// The thresholds as Fernholz and Ramachandran's tables, and those of Cain, Sanders
// and Wormald, are cited: keys over slots, for buckets of 1, 2, 3, 4 and 8.
func TestCuckooThreshold(t *testing.T) {
	for _, c := range []struct {
		slots int
		want  float64
	}{{1, 0.5}, {2, 0.89701}, {3, 0.95915}, {4, 0.98037}, {8, 0.9979}} {
		near(t, CuckooThreshold(c.slots), c.want, 1e-4, "CuckooThreshold(%d)", c.slots)
	}
	for slots := 1; slots < 64; slots++ {
		if a, b := CuckooThreshold(slots), CuckooThreshold(slots+1); !(a < b && b < 1) {
			t.Errorf("the thresholds of %d and %d slots are %v and %v", slots, slots+1, a, b)
		}
	}
}

// At the load that is returned one overlap is expected, and with one key less
// fewer.
func TestCuckooOverlapLoad(t *testing.T) {
	const buckets, slots = 1 << 18, 4
	last := 0.0
	for _, f := range []int{2, 3, 4, 8} {
		load := CuckooOverlapLoad(buckets, f, slots)
		n := uint64(load*buckets*slots + .5)
		if CuckooOverlaps(n, buckets, f, slots) < 1 || CuckooOverlaps(n-1, buckets, f, slots) >= 1 || load <= last {
			t.Errorf("f = %d: a load of %v", f, load)
		}
		last = load
	}
}
