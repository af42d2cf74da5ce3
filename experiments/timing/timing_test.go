package timing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// bench is a world with a clock of its own: passes take what the test says and
// no real time, and all that happens is written down.
type bench struct {
	now     time.Duration
	started time.Duration
	timing  bool
	took    []string // cells in the order in which they were timed
	warmed  []string // and in which they ran without being timed
	// disturb is asked at the end of each sample for what else happened.
	disturb func(cell string) reading
}

func (b *bench) start() { b.started, b.timing = b.now, true }

func (b *bench) stop() reading {
	b.timing = false
	wall := b.now - b.started
	r := reading{wall: wall, cpu: wall}
	if b.disturb != nil {
		d := b.disturb(b.took[len(b.took)-1])
		r.wall += d.wall
		r.switches, r.stolen = d.switches, d.stolen
	}
	return r
}

// cell makes a cell of 10 operations whose pass takes the given time.
func (b *bench) cell(name string, pass time.Duration) Cell {
	return Cell{Name: name, Ops: 10, Want: 7, Pass: func() uint64 {
		b.now += pass
		if !b.timing {
			b.warmed = append(b.warmed, name)
		} else {
			b.took = append(b.took, name)
		}
		return 7
	}}
}

// group makes a group of n cells. A pass is long enough to be a sample, and for
// the pilot to need no second.
func (b *bench) group(n, rounds int) Group {
	g := Group{Rounds: rounds, Seed: 1}
	for i := range n {
		g.Cells = append(g.Cells, b.cell(fmt.Sprint("cell", i), 30*time.Millisecond))
	}
	return g
}

// run runs the group in the bench and returns the samples of each round.
func (b *bench) run(t *testing.T, g Group, from int) (rounds [][]Sample) {
	t.Helper()
	err := g.run(context.Background(), b, from, func(round int, samples []Sample) error {
		if round != from+len(rounds) {
			t.Errorf("round %d is emitted where %d is next", round, from+len(rounds))
		}
		rounds = append(rounds, samples)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rounds
}

// orders splits what was timed after the pilot into rounds.
func orders(b *bench, g Group) [][]string {
	return slices.Collect(slices.Chunk(b.took[len(g.Cells):], len(g.Cells)))
}

func TestEachRoundIsAFreshPermutation(t *testing.T) {
	var b bench
	g := b.group(8, 10)
	if rounds := b.run(t, g, 0); len(rounds) != 10 {
		t.Fatalf("%d rounds, want 10", len(rounds))
	}
	seen := map[string]bool{}
	for i, order := range orders(&b, g) {
		seen[fmt.Sprint(order)] = true
		sorted := slices.Sorted(slices.Values(order))
		for j, name := range sorted {
			if name != fmt.Sprint("cell", j) {
				t.Fatalf("round %d times %v: not each cell once", i, order)
			}
		}
	}
	// Two of ten random orders of 8 agree with probability 45/8! = 0.001.
	if len(seen) != 10 {
		t.Errorf("only %d orders in 10 rounds", len(seen))
	}
	if !slices.Equal(b.took, b.warmed) {
		t.Errorf("not every sample follows an untimed pass of its own")
	}

	var again bench
	g2 := again.group(8, 10)
	again.run(t, g2, 0)
	if !slices.Equal(b.took, again.took) {
		t.Error("the same seed gives another order")
	}
	var other bench
	g3 := other.group(8, 10)
	g3.Seed = 2
	other.run(t, g3, 0)
	if slices.Equal(b.took, other.took) {
		t.Error("another seed gives the same order")
	}
}

// A resumed run goes on with the rounds that are missing, in the order that
// they would have had.
func TestResume(t *testing.T) {
	var whole, rest bench
	g := whole.group(5, 10)
	all := whole.run(t, g, 0)
	tail := rest.run(t, rest.group(5, 10), 7)
	if len(tail) != 3 || !slices.EqualFunc(all[7:], tail, slices.Equal[[]Sample]) {
		t.Errorf("rounds 7 to 9 of a resumed run are %v, of a whole run %v", tail, all[7:])
	}
	if !slices.EqualFunc(orders(&whole, g)[7:], orders(&rest, g), slices.Equal[[]string]) {
		t.Error("the order of a round depends on where the run started")
	}
}

func TestSamplesAreWholePassesOfEqualNumber(t *testing.T) {
	var b bench
	g := Group{Rounds: 3}
	for _, pass := range []time.Duration{777, 40 * time.Microsecond, 4999 * time.Microsecond, 5 * time.Millisecond, time.Second} {
		g.Cells = append(g.Cells, b.cell(pass.String(), pass))
	}
	rounds := b.run(t, g, 0)
	for _, samples := range rounds {
		if !slices.Equal(samples, rounds[0]) {
			t.Errorf("rounds differ: %v and %v", samples, rounds[0])
		}
	}
	for i, s := range rounds[0] {
		if s.Wall < MinSample {
			t.Errorf("pass of %s: sample of %v, less than %v", g.Cells[i].Name, s.Wall, MinSample)
		}
		if s.Wall > 2*MinSample && s.Ops > 10 {
			t.Errorf("pass of %s: %d passes take %v", g.Cells[i].Name, s.Ops/10, s.Wall)
		}
		want, _ := time.ParseDuration(g.Cells[i].Name)
		if got := s.NsPerOp(); got != float64(want)/10 {
			t.Errorf("pass of %v with 10 operations: %v ns/op", want, got)
		}
	}
}

// A pilot that was slowed down must not make the samples too short: the fastest
// of its attempts counts.
func TestPilotIsRobust(t *testing.T) {
	var b bench
	slow := 2 // the first passes are slow
	c := Cell{Name: "c", Ops: 1, Pass: func() uint64 {
		if b.took = append(b.took, "c"); len(b.took) <= slow {
			b.now += 10 * time.Millisecond
		} else {
			b.now += time.Millisecond
		}
		return 0
	}}
	passes, err := c.pilot(&b)
	if err != nil || time.Duration(passes)*time.Millisecond < MinSample {
		t.Errorf("%d passes of 1 ms, error %v; want at least %v", passes, err, MinSample)
	}
}

func TestDisturbedSamplesAreRetaken(t *testing.T) {
	lost := reading{wall: time.Millisecond}
	tests := []struct {
		name      string
		disturbed []reading // the first attempts; the others are quiet
		want      Sample
	}{
		{"quiet", nil, Sample{10, 7 * time.Millisecond, 7 * time.Millisecond, 0}},
		{"once", []reading{lost}, Sample{10, 7 * time.Millisecond, 7 * time.Millisecond, 1}},
		{"twice, by steal and switches", []reading{{stolen: 1}, {switches: 1}}, Sample{10, 7 * time.Millisecond, 7 * time.Millisecond, 2}},
		{"always", []reading{{wall: 3e6}, {wall: 1e6}, {wall: 2e6}}, Sample{10, 8 * time.Millisecond, 7 * time.Millisecond, 3}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b bench
			attempt := 0
			b.disturb = func(string) (r reading) {
				if attempt < len(tt.disturbed) {
					r = tt.disturbed[attempt]
				}
				attempt++
				return r
			}
			s, used, err := b.cell("cell", 7*time.Millisecond).sample(&b, 1, maxRetakes)
			if err != nil || s != tt.want {
				t.Errorf("sample %+v, error %v; want %+v", s, err, tt.want)
			}
			if want := min(len(tt.disturbed), maxRetakes); used != want {
				t.Errorf("%d retakes, want %d", used, want)
			}
		})
	}
}

// On a machine where everything is disturbed a round takes a bounded number of
// extra samples.
func TestRetakesAreBounded(t *testing.T) {
	var b bench
	b.disturb = func(string) reading { return reading{stolen: time.Millisecond} }
	g := b.group(12, 10)
	rounds := b.run(t, g, 0)
	if got, want := len(b.took), 12+10*(12+12/retakeShare+1); got != want {
		t.Errorf("%d samples were taken, want %d", got, want)
	}
	for _, samples := range rounds {
		for _, s := range samples {
			if s.Disturbed < 1 || s.Disturbed > 1+maxRetakes {
				t.Errorf("%+v: want 1 to %d disturbed attempts", s, 1+maxRetakes)
			}
		}
	}
}

func TestWrongResultFails(t *testing.T) {
	for _, pass := range []int{0, 1, 5, 30} { // in the pilot and in the rounds
		var b bench
		g := b.group(3, 10)
		right, n := g.Cells[1].Pass, 0
		g.Cells[1].Pass = func() uint64 {
			got := right()
			if b.timing {
				n++
			}
			if n > pass {
				return got - 1
			}
			return got
		}
		emitted := 0
		err := g.run(context.Background(), &b, 0, func(int, []Sample) error { emitted++; return nil })
		if pass > 10 {
			if err != nil {
				t.Errorf("right results: %v", err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), "cell1") {
			t.Errorf("pass %d of cell1 returns a wrong number: error %v, want one that names the cell", pass, err)
		}
		if emitted > pass {
			t.Errorf("%d rounds were emitted after a wrong result in sample %d", emitted, pass)
		}
	}
}

func TestStopsWhenCancelled(t *testing.T) {
	var b bench
	g := b.group(4, 10)
	ctx, cancel := context.WithCancel(context.Background())
	emitted := 0
	err := g.run(ctx, &b, 0, func(int, []Sample) error {
		if emitted++; emitted == 2 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || emitted != 2 || len(b.took) != 3*4 {
		t.Errorf("error %v after %d rounds and %d samples; want context.Canceled after 2 and 12", err, emitted, len(b.took))
	}
	failed := errors.New("disk full")
	if err := g.run(context.Background(), &b, 0, func(int, []Sample) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("error %v, want emit's", err)
	}
}

func TestWarmReplacesThePass(t *testing.T) {
	var b bench
	g := b.group(1, 2)
	warm := 0
	g.Cells[0].Warm = func() { warm++ }
	b.run(t, g, 0)
	if warm != 3 || len(b.warmed) != 0 {
		t.Errorf("Warm ran %d times and untimed passes %d times; want 3 and 0", warm, len(b.warmed))
	}
}

func TestDisturbed(t *testing.T) {
	const ms = time.Millisecond
	tests := []struct {
		r    reading
		want bool
	}{
		{reading{wall: 10 * ms, cpu: 10 * ms}, false},
		{reading{wall: 10 * ms, cpu: 10*ms + 1}, false}, // the clocks are not read at once
		{reading{wall: 1000 * ms, cpu: 995 * ms}, false},
		{reading{wall: 1000 * ms, cpu: 985 * ms}, true},
		{reading{wall: 5 * ms, cpu: 5 * ms, switches: 1}, true},
		{reading{wall: 100 * ms, cpu: 100 * ms, switches: 10}, false},
		{reading{wall: 100 * ms, cpu: 100 * ms, switches: 11}, true},
		{reading{wall: 1000 * ms, cpu: 1000 * ms, stolen: 10 * ms}, true},
		{reading{wall: 10 * ms}, false}, // no CPU time on this system
	}
	for _, tt := range tests {
		if got := tt.r.disturbed(); got != tt.want {
			t.Errorf("%+v: disturbed %v, want %v", tt.r, got, tt.want)
		}
	}
}

// A pass that changes what it works on finds it as the first did, and undoing is
// not timed.
func TestResetBeforeEachPass(t *testing.T) {
	var b bench
	fresh, resets := false, 0
	c := b.cell("adds", time.Millisecond)
	pass := c.Pass
	c.Pass = func() uint64 {
		if !fresh {
			t.Error("a pass without a reset before it")
		}
		fresh = false
		return pass()
	}
	c.Reset = func() {
		if b.timing {
			t.Error("a reset is timed")
		}
		b.now += 3 * time.Millisecond
		fresh = true
		resets++
	}
	for _, round := range b.run(t, Group{Cells: []Cell{c}, Rounds: 2}, 0) {
		s := round[0]
		if passes := s.Ops / c.Ops; s.Wall != time.Duration(passes)*time.Millisecond || s.Wall < MinSample {
			t.Errorf("%d passes of 1 ms took %v", passes, s.Wall)
		}
	}
	if ran := len(b.took) + len(b.warmed); resets != ran {
		t.Errorf("%d resets for %d passes", resets, ran)
	}
}
