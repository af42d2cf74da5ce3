package claims

import (
	"math"
	"strings"
	"testing"

	"filterbench/results"
)

// touchRecords are what the filters of the claims touch: the means are those of
// an independent program that draws lines at random.
func touchRecords() []results.Record {
	touch := func(axes string, lines, loads, l1, l2 float64) results.Record {
		const ops = 32768
		return rec("Touch", axes, "lines/op", lines, "loads/op", loads, "ops", ops, "lines", lines*ops, "lines-sq", math.Ceil(1.4*lines*lines*ops),
			"l1-misses/op", l1, "l2-misses/op", l2, "l3-misses/op", 0)
	}
	eight := "filter=bloom:index=range,step=enhanced,k=8,kernel=auto size=2MiB bits=12 n=1398101 m=16777212 k=8 op="
	blocked := "filter=blocked:block=64,k=auto,kernel=auto size=4MiB bits=10 n=3355443 m=33554432 k=6 op="
	return []results.Record{
		touch(eight+"absent", 1.9375, 1.9375, 1.91, 1.45), touch(eight+"present", 8, 8, 7.87, 6),
		touch(blocked+"absent", 1, 6, .992, .875), touch(blocked+"present", 1, 6, .992, .875),
	}
}

// touches gives a cell another mean number of lines.
func (w *world) touches(c Cell, lines float64) {
	w.each(c, func(r *results.Record) {
		ops, _ := r.Value("ops")
		setValue(r, "lines/op", lines)
		setValue(r, "lines", lines*ops)
		setValue(r, "lines-sq", math.Ceil(1.2*lines*lines*ops))
	})
}

// doctoredLines are doctored results of the claims on lines touched.
var doctoredLines = []doctored{
	{"B20a", func(w *world) { w.touches(eightProbes("absent"), 7.875) }, Holds},
	{"B20a", func(w *world) { w.touches(eightProbes("present"), 4.5) }, Wrong},
	{"B24", func(w *world) { w.set(oneLine("present"), "l1-misses/op", 5.5) }, Wrong},
	{"B24", func(w *world) {
		w.set(oneLine("present"), "l2-misses/op", .1)
		w.set(oneLine("absent"), "l2-misses/op", .1)
	}, Holds},
}

// A handful of operations decides nothing.
func TestFewOperationsDecideNothing(t *testing.T) {
	w := newWorld()
	w.each(eightProbes("absent"), func(r *results.Record) {
		setValue(r, "ops", 4)
		setValue(r, "lines", 8)
		setValue(r, "lines/op", 2)
		setValue(r, "lines-sq", 34)
	})
	if v := verdict(t, "B20a", &w.Set); v.Status != NotMeasured || v.Fault || !strings.Contains(v.Reason, "too few operations") {
		t.Errorf("%v (%s)", v.Status, v.Reason)
	}
}
