package simd

import (
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/cpuid/v2"

	"filterbench/filters"
)

// family has nothing but the option.
var family = &filters.Family{Name: "test", Options: []filters.Option{Option()}}

func spec(t *testing.T, text string) filters.Spec {
	t.Helper()
	s, err := filters.ParseSpec([]*filters.Family{family}, text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// with runs f as on a CPU with the features, under the environment.
func with(env string, features []cpuid.FeatureID, f func()) {
	defer set(detect(func(want ...cpuid.FeatureID) bool {
		for _, id := range want {
			if !slices.Contains(features, id) {
				return false
			}
		}
		return true
	}, env))()
	f()
}

var full = []cpuid.FeatureID{cpuid.AVX2, cpuid.BMI2}

// A kernel is used where it can be and is not refused, and one asked for by name
// is never replaced without a word.
func TestChoose(t *testing.T) {
	for _, c := range []struct {
		env      string
		features []cpuid.FeatureID
		spec     string
		without  string
		use      bool
		err      string
	}{
		{"", full, "test", "", true, ""},
		{"", full, "test:kernel=avx2", "", true, ""},
		{"", full, "test:kernel=portable", "", false, ""},
		{"", full, "test", "index=mod has none", false, ""},
		{"", full, "test:kernel=avx2", "index=mod has none", false, "kernel=avx2: index=mod has none; there are: auto, portable"},
		{"", full[:1], "test", "", false, ""},
		{"", full[:1], "test:kernel=avx2", "", false, "kernel=avx2: this CPU lacks AVX2 or BMI2; there are: auto, portable"},
		{"", full[1:], "test:kernel=avx2", "", false, "lacks AVX2 or BMI2"},
		{"off", full, "test", "", false, ""},
		{"off", full, "test:kernel=avx2", "", false, "FILTERBENCH_SIMD=off masks it"},
		{"on", full, "test", "", false, `FILTERBENCH_SIMD="on" in the environment; allowed: off, or unset`},
		{"on", full, "test:kernel=portable", "", false, "allowed: off, or unset"},
	} {
		if !Compiled {
			c.use = false
			if strings.HasSuffix(c.spec, "avx2") && c.env != "on" {
				c.err = "this program is built without assembly; there are: auto, portable"
			}
		}
		with(c.env, c.features, func() {
			use, err := Choose(spec(t, c.spec), c.without)
			if use != c.use || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("%+v: %v, %v", c, use, err)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	none := &filters.Family{Name: "plain"}
	plain, err := filters.ParseSpec([]*filters.Family{none}, "plain")
	if err != nil {
		t.Fatal(err)
	}
	with("", nil, func() {
		for _, s := range []filters.Spec{plain, spec(t, "test"), spec(t, "test:kernel=portable")} {
			if err := Check(s); err != nil {
				t.Errorf("%s: %v", s, err)
			}
		}
		if err := Check(spec(t, "test:kernel=avx2")); err == nil || !strings.HasPrefix(err.Error(), "test:kernel=avx2: kernel=avx2: ") {
			t.Errorf("a kernel that is not there: %v", err)
		}
	})
}

func TestKernel(t *testing.T) {
	name := map[bool]string{true: AVX2, false: Portable}
	with("", full, func() {
		if got := Kernel(); got != name[Compiled] {
			t.Errorf("with all features the kernel is %s", got)
		}
		restore := Disable()
		if got := Kernel(); got != Portable {
			t.Errorf("disabled, the kernel is %s", got)
		}
		restore()
		if got := Kernel(); got != name[Compiled] {
			t.Errorf("restored, the kernel is %s", got)
		}
	})
	with("", nil, func() {
		if got := Kernel(); got != Portable {
			t.Errorf("without features the kernel is %s", got)
		}
	})
}

func TestOption(t *testing.T) {
	if got := spec(t, "test").String(); got != "test:kernel=auto" {
		t.Errorf("the default is %s", got)
	}
	_, err := filters.ParseSpec([]*filters.Family{family}, "test:kernel=avx512")
	if err == nil || !strings.Contains(err.Error(), "allowed: auto, portable, avx2") {
		t.Errorf("an unknown kernel: %v", err)
	}
}

func TestFetchAhead(t *testing.T) {
	if FetchAhead(32<<10) || !FetchAhead(1<<30) {
		t.Error("lines are fetched ahead in 32 KiB, or not in 1 GiB")
	}
}
