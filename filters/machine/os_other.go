//go:build !darwin

package machine

// Linux says both in /proc; elsewhere they stay unknown.

func osMemory() uint64 { return 0 }
func osKernel() string { return "" }
