//go:build !linux

package timing

import (
	"runtime"
	"time"
)

// wallMeter knows the wall clock only.
type wallMeter struct{ wall time.Time }

// pinned leaves the thread where the system puts it.
func pinned() (m meter, restore func(), err error) {
	return &wallMeter{}, func() {}, nil
}

func pinWorker(int) (restore func(), err error) { return func() {}, nil }

func usableCPUs() int { return runtime.NumCPU() }

// threadTime is not known.
func threadTime() time.Duration { return 0 }

func (t *wallMeter) start() { t.wall = time.Now() }

func (t *wallMeter) stop() reading { return reading{wall: time.Since(t.wall)} }
