// Package simd says which kernels answer: the assembly of the families that
// have some, or portable Go. A kernel is a faster way to the same bits; the
// portable code of its family is its specification.
//
// There is one level, named avx2 after its main part: an x86-64 CPU with AVX2
// and BMI2, and an operating system that saves the wide registers. The build
// tag purego leaves all assembly out, and FILTERBENCH_SIMD=off in the
// environment masks it in a program that has it.
package simd

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/cpuid/v2"

	"filterbench/filters"
	"filterbench/filters/machine"
)

// The names of the kernels, as the option and the results show them.
const (
	Portable = "portable"
	AVX2     = "avx2"
)

// Env is the environment variable that masks the kernels: "off", or unset.
const Env = "FILTERBENCH_SIMD"

// state is what this process can run: whether kernels may be used, and if not,
// why.
type state struct {
	usable bool
	why    string
	err    error // of the environment
}

var detected = sync.OnceValue(func() state { return detect(cpuid.CPU.Supports, os.Getenv(Env)) })

// override stands in for what was detected, in tests.
var override *state

func current() state {
	if override != nil {
		return *override
	}
	return detected()
}

func detect(supports func(...cpuid.FeatureID) bool, env string) state {
	switch {
	case env != "" && env != "off":
		return state{why: Env + " is not understood", err: fmt.Errorf("%s=%q in the environment; allowed: off, or unset", Env, env)}
	case !Compiled:
		return state{why: "this program is built without assembly"}
	case env == "off":
		return state{why: Env + "=off masks it"}
	case !supports(cpuid.AVX2, cpuid.BMI2):
		return state{why: "this CPU lacks AVX2 or BMI2"}
	}
	return state{usable: true}
}

// Kernel is the name of what answers where a spec leaves the choice: "avx2" or
// "portable".
func Kernel() string {
	if current().usable {
		return AVX2
	}
	return Portable
}

// Option is the option kernel of a family that has kernels.
func Option() filters.Option {
	values := []string{filters.Auto, Portable, AVX2}
	return filters.Option{
		Name: "kernel", Default: filters.Auto, Values: values,
		Help: "code that answers batches: auto (the fastest here), portable or avx2; the bits are the same",
	}
}

// Choose reports whether a filter of the spec is to use its kernel. A kernel
// that is asked for by name and that this program lacks, on this CPU, is an
// error. without says why the spec's other options have none, such as
// "index=mod has none"; empty where they have.
func Choose(s filters.Spec, without string) (use bool, err error) {
	now := current()
	if now.err != nil {
		return false, now.err
	}
	asked := s.Option("kernel")
	use = now.usable && without == "" && asked != Portable
	if asked == AVX2 && !use {
		why := now.why
		if now.usable {
			why = without
		}
		return false, fmt.Errorf("kernel=%s: %s; there are: %s", asked, why, strings.Join([]string{filters.Auto, Portable}, ", "))
	}
	return use, nil
}

// Check says why a spec cannot run here: it names a kernel that this program lacks,
// on this CPU. Most specs have no kernel to name. It is for those who report that
// before any work, since an experiment takes a design that fails for one that is
// not feasible.
func Check(s filters.Spec) error {
	if !slices.ContainsFunc(s.Family.Options, func(o filters.Option) bool { return o.Name == "kernel" }) {
		return nil
	}
	_, err := Choose(s, "")
	if err != nil {
		return fmt.Errorf("%s: %w", s, err)
	}
	return nil
}

// FetchAhead reports whether kernels shall fetch the lines of later keys ahead
// in a filter of the given size: from half of the L2 cache on. Below, out-of-order
// execution hides the latency, and each prefetch only costs its half nanosecond.
func FetchAhead(bytes uint64) bool { return bytes >= fetchFrom() }

var fetchFrom = sync.OnceValue(func() uint64 { return machine.This().L2.Size / 2 })

// Disable masks the kernels as the environment variable does, until restore is
// called. It is for tests, before filters are made.
func Disable() (restore func()) { return set(detect(cpuid.CPU.Supports, "off")) }

func set(s state) (restore func()) {
	before := override
	override = &s
	return func() { override = before }
}
