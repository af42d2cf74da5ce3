package timing

import (
	"errors"
	"testing"
	"time"
)

func TestWatch(t *testing.T) {
	var sum Sample
	failed := errors.New("enough")
	err := Quietly(func(w Watch) error {
		for range 2 {
			sum = sum.Plus(w.Time(3, func() { time.Sleep(2 * time.Millisecond) }))
		}
		return failed
	})
	if !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
	if sum.Ops != 6 || sum.Wall < 4*time.Millisecond || sum.CPU > sum.Wall {
		t.Errorf("%+v of two naps of 2 ms", sum)
	}
	// A thread that slept was not running, if the system tells.
	if want := 2; sum.CPU > 0 && sum.Disturbed != want {
		t.Errorf("%d samples disturbed, want %d", sum.Disturbed, want)
	}
}
