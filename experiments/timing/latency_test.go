package timing

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// spin does nothing for so long.
func spin(d time.Duration) {
	for began := time.Now(); time.Since(began) < d; {
	}
}

// A call in a hundred that takes long shows in the quantile of 99.9 % and not in
// the median, and no call takes less than it does.
func TestRunCallsSeesTheSlow(t *testing.T) {
	slow := Call{Name: "slow", N: 1000, Want: 1000, Do: func(i int) uint64 {
		spin(time.Microsecond)
		if i%100 == 99 {
			spin(100 * time.Microsecond)
		}
		return 1
	}}
	rounds := 0
	err := RunCalls(t.Context(), CallGroup{Calls: []Call{NoCall(1000), slow}, Rounds: 3, Seed: 1}, 1, func(round int, d []Distribution) error {
		rounds++
		clock, got := d[0], d[1]
		if got.Count() != 1000 || clock.Count() != 1000 {
			t.Errorf("round %d: %d and %d calls", round, clock.Count(), got.Count())
		}
		if p := got.Quantile(.001); p < 990 { // to the width of a bucket
			t.Errorf("round %d: a call of 1 us took %v ns", round, p)
		}
		if p50, p999 := got.Quantile(.5), got.Quantile(.999); p999 < 100_000*.99 || p50 > p999/2 {
			t.Errorf("round %d: median %v ns, 99.9 %% %v ns", round, p50, p999)
		}
		if clock.Quantile(.5) >= got.Quantile(.5) {
			t.Errorf("round %d: nothing takes %v ns, something %v", round, clock.Quantile(.5), got.Quantile(.5))
		}
		return nil
	})
	if err != nil || rounds != 2 {
		t.Errorf("%d rounds, %v", rounds, err)
	}
}

func TestRunCallsFails(t *testing.T) {
	liar := Call{Name: "liar", N: 10, Want: 10, Do: func(int) uint64 { return 2 }}
	none := func(int, []Distribution) error { return nil }
	if err := RunCalls(t.Context(), CallGroup{Calls: []Call{liar}, Rounds: 1}, 0, none); err == nil || !strings.Contains(err.Error(), "liar: a pass returned 20 where 10") {
		t.Errorf("error %v", err)
	}
	if _, err := Pilot(liar); err == nil {
		t.Error("the pilot takes a wrong sum")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := RunCalls(ctx, CallGroup{Calls: []Call{NoCall(10)}, Rounds: 1}, 0, none); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	stop := errors.New("enough")
	if err := RunCalls(t.Context(), CallGroup{Calls: []Call{NoCall(10)}, Rounds: 9}, 0, func(int, []Distribution) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
}

func TestTooShort(t *testing.T) {
	for _, x := range []struct {
		call, clock float64
		want        bool
	}{{30, 25, true}, {274, 25, true}, {275, 25, false}, {1000, 25, false}} {
		if got := TooShort(x.call, x.clock); got != x.want {
			t.Errorf("%v ns by a clock of %v: %v", x.call, x.clock, got)
		}
	}
	medians, err := Pilot(NoCall(1000), Call{N: 100, Do: func(int) uint64 { spin(50 * time.Microsecond); return 0 }})
	if err != nil || medians[1] < 49_500 || TooShort(medians[1], medians[0]) {
		t.Errorf("medians %v, %v", medians, err)
	}
}
