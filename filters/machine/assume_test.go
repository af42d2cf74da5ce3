package machine

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/cpuid/v2"
)

// What the user gives stands in for what nobody tells, and says so; it does not
// override what is known.
func TestAssume(t *testing.T) {
	defer assumed.Store(nil)
	nothing := Read(files(), mockCPU(-1, 0, -1, 0))
	if err := assume("l2=512KiB, l3=16MiB", nothing); err != nil {
		t.Fatal(err)
	}
	given := *assumed.Load()
	got := read(files(), mockCPU(-1, 0, -1, 0), given)
	want := []Cache{{1, 32 << 10, 0, "", Default}, {2, 512 << 10, 0, "", Given}, {3, 16 << 20, 0, "", Given}}
	if diff := cmp.Diff(want, []Cache{got.L1d, got.L2, got.L3}); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if !got.L3.Known() || got.L3.String() != "L3 16 MiB (given)" {
		t.Errorf("%v, known %v", got.L3, got.L3.Known())
	}
	known := read(files(zen3...), cpuid.CPUInfo{}, given)
	if known.L2.Source != Sysfs || known.L3.Size != 32<<20 {
		t.Errorf("what is given overrides sysfs: %v, %v", known.L2, known.L3)
	}

	for _, c := range []struct {
		text string
		info Info
		want string
	}{
		{"", nothing, "no cache level"},
		{"l4=1MiB", nothing, "l1d, l2 and l3"},
		{"l2", nothing, "no cache level"},
		{"l2=", nothing, "l2=\"\" is no size"},
		{"l2=-1", nothing, "no size"},
		{"l2=0", nothing, "no size"},
		{"l2=512", nothing, "1 KiB to 64 GiB"},
		{"l2=1e6KiB", nothing, "no size"},
		{"l2=99999999999999999999", nothing, "no size"},
		{"l2=18014398509481985KiB", nothing, "no size"},
		{"l2=1MiB,l2=2MiB", nothing, "twice"},
		{"l2=1MiB,l3=512KiB", nothing, "less than the level before it, 1 MiB"},
		{"l3=16MiB", Read(files(zen3...), cpuid.CPUInfo{}), "l3: sysfs says 32 MiB"},
		{"l3=16KiB", Read(files(zen3[:30]...), cpuid.CPUInfo{}), "less than the level before it, 512 KiB"},
	} {
		before := assumed.Load()
		err := assume(c.text, c.info)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %v, want one line with %q", c.text, err, c.want)
		}
		if assumed.Load() != before {
			t.Errorf("%q: an error changed what is assumed", c.text)
		}
	}
}

func TestParseBytes(t *testing.T) {
	for text, want := range map[string]uint64{"512": 512, "48KiB": 48 << 10, "48 KiB": 48 << 10, "3MiB": 3 << 20, "2GiB": 2 << 30} {
		if got, ok := ParseBytes(text); got != want || !ok {
			t.Errorf("%q is %d, %v; want %d", text, got, ok, want)
		}
		if again, ok := ParseBytes(FormatBytes(want)); again != want || !ok {
			t.Errorf("%s reads back as %d", FormatBytes(want), again)
		}
	}
}
