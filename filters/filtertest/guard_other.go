//go:build !linux

package filtertest

import "testing"

// guarded returns room for n words.
func guarded(_ testing.TB, n int) []uint64 { return make([]uint64, n) }
