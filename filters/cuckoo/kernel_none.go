//go:build !amd64 || purego

package cuckoo

const noKernel = "cuckoo: this program has no kernel"

func containsAVX2(*kernel, *uint64, int) uint64              { panic(noKernel) }
func locateAVX2(*kernel, *located, int, *uint64, int)        { panic(noKernel) }
func answerAVX2(*kernel, *located, *uint64, int, int) uint64 { panic(noKernel) }
