package results

import (
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"filterbench/filters/machine"
)

func TestDescribe(t *testing.T) {
	run := Run{Profile: "full", Seed: 1<<64 - 1, Start: time.Date(2026, 3, 1, 13, 0, 0, 0, time.FixedZone("", 3600)),
		Pages: "huge", SIMD: "avx2", PerfCounters: "unavailable (ENOENT)"}
	build := &debug.BuildInfo{Settings: []debug.BuildSetting{
		{Key: "GOAMD64", Value: "v3"}, {Key: "vcs.revision", Value: "0123abc"}, {Key: "vcs.modified", Value: "true"}}}
	m := machine.Info{
		Brand: " AMD\tEPYC \n7763\x00", Vendor: "AuthenticAMD", Family: 25, Model: 1, Stepping: 1,
		Features: []string{"popcnt", "avx2"}, VM: true, LogicalCPUs: 2,
		L1d:      machine.Cache{Level: 1, Size: 32768, Source: machine.Sysfs},
		L2:       machine.Cache{Level: 2, Size: 524288, Source: machine.CPUID},
		L3:       machine.Cache{Level: 3, Size: 33554432, Source: machine.Default},
		LineSize: 64, MemTotal: 16 << 30, OS: "linux", Arch: "amd64", Kernel: "6.1.0", PageSize: 4096,
		THP: "madvise", MaxHz: 3_500_000_000, Load: "0.20 0.14 0.08",
	}
	got := describe(run, build, m, 32768, 524288, -1)
	var f File
	f.Config = got
	want := map[string]string{
		"schema": SchemaVersion, "profile": "full", "seed": "18446744073709551615", "date": "2026-03-01T12:00:00Z",
		"commit": "0123abc", "dirty": "true", "goamd64": "v3", "goos": "linux", "goarch": "amd64",
		"cpu": "AMD EPYC 7763", "cpu-id": "AuthenticAMD family 25 model 1 stepping 1", "cpu-features": "popcnt avx2",
		"cpu-max-mhz": "3500", "cpus": "2", "vm": "true", "memory": "17179869184", "kernel": "6.1.0", "page-size": "4096",
		"thp": "madvise", "governor": "unknown", "load": "0.20 0.14 0.08",
		"cache-l1d": "32768", "cache-l2": "524288", "cache-source": "l1d sysfs, l2 cpuid", "cache-cpuid": "l1d 32768, l2 524288",
		"cache-line": "64", "pages": "huge", "simd": "avx2", "perf-counters": "unavailable (ENOENT)",
	}
	have := map[string]string{}
	for _, c := range got {
		have[c.Key] = c.Value
	}
	if !strings.HasPrefix(have["go"], "go1.") {
		t.Errorf("go: %q", have["go"])
	}
	delete(have, "go")
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
	schema, err := os.ReadFile("SCHEMA.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range got {
		if !strings.Contains(string(schema), "`"+c.Key+"`") {
			t.Errorf("SCHEMA.md does not explain %s", c.Key)
		}
	}
}

// Nothing is known of a machine without proc and sys, or of a build without
// version control; what is written must be legal all the same.
func TestDescribeKnowingNothing(t *testing.T) {
	f := File{Experiment: "x", Config: describe(Run{}, nil, machine.Info{}, -1, 0, -1)}
	if err := f.Check(); err != nil {
		t.Error(err)
	}
	for key, want := range map[string]string{"cpu": "unknown", "commit": "unknown", "cache-l1d": "", "cache-source": "unknown", "date": "", "memory": ""} {
		if got := f.Get(key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
}

func TestCollect(t *testing.T) {
	f := File{Experiment: "x", Config: Collect(Run{Profile: "quick", Seed: 7})}
	if err := f.Check(); err != nil {
		t.Error(err)
	}
	if f.Get("seed") != "7" || f.Get("goos") == "" || f.Get("cpus") == "" {
		t.Errorf("%v", f.Config)
	}
}

// The header tells runs apart by all but the lines that change by themselves.
func TestIdentity(t *testing.T) {
	config := []ConfigLine{{"seed", "1"}, {"date", "2026-01-01T00:00:00Z"}, {"load", "0 0 0"}}
	h := Identity(config, ConfigLine{"filters", "bloom"})
	if len(h) != 3 || get(h, "program") == "unknown" {
		t.Fatalf("%v", h)
	}
	later := []ConfigLine{{"seed", "1"}, {"date", "2026-01-02T00:00:00Z"}, {"load", "2 1 0"}}
	if err := sameRun(h, Identity(later, ConfigLine{"filters", "bloom"})); err != nil {
		t.Error(err)
	}
	if err := sameRun(h, Identity(later, ConfigLine{"filters", "set"})); err == nil {
		t.Error("other filters count as the same run")
	}
	if len(config) != 3 || config[1].Key != "date" {
		t.Error("the configuration was changed")
	}
}
