package timing

// Watch times what can be done only once, such as filling a filter from a
// stream.
type Watch struct{ m meter }

// Quietly calls do as a group is run: on a thread of its own, pinned to a CPU
// where that can be done, with the garbage collector off.
func Quietly(do func(w Watch) error) error {
	return quietly(func(m meter) error { return do(Watch{m}) })
}

// Time times do, which does so many operations. A disturbed sample says so, and
// is not taken again.
func (w Watch) Time(ops int, do func()) Sample {
	w.m.start()
	do()
	r := w.m.stop()
	s := Sample{Ops: ops, Wall: r.wall, CPU: r.cpu}
	if r.disturbed() {
		s.Disturbed = 1
	}
	return s
}

// Plus is both samples taken as one.
func (s Sample) Plus(o Sample) Sample {
	return Sample{s.Ops + o.Ops, s.Wall + o.Wall, s.CPU + o.CPU, s.Disturbed + o.Disturbed}
}
