//go:build !linux

package timing

import "time"

// wallMeter knows the wall clock only.
type wallMeter struct{ wall time.Time }

// pinned leaves the thread where the system puts it.
func pinned() (m meter, restore func(), err error) {
	return &wallMeter{}, func() {}, nil
}

func (t *wallMeter) start() { t.wall = time.Now() }

func (t *wallMeter) stop() reading { return reading{wall: time.Since(t.wall)} }
