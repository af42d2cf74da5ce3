package experiments

import (
	"math"
	"testing"
)

// The ratios of claim A15, which an independent program gave; bytes16 and UUIDs
// are other random keys here, as good as them. The claims' addresses are of
// another making.
func TestFrontCoding(t *testing.T) {
	want := map[string]float64{
		"textbook 16": 2.14, "padded8 16": 2.77, "padded19 16": 4.87, "padded19 none": 7.4, "sha1 16": 1.03, "uuidv4 16": 1.03, "bytes16 16": .95,
	}
	records := countedTwice(t, "frontcoding", func() []Unit {
		units, err := planFrontCoding(Config{})
		if err != nil {
			t.Fatal(err)
		}
		return units
	})
	if len(records) != len(frontSets)*len(frontRestarts) {
		t.Errorf("%d records", len(records))
	}
	for _, r := range records {
		name := r.Axis("keys") + " " + r.Axis("restart")
		ratio := value(t, r, "key-B") / value(t, r, "coded-B")
		digit := .005
		if name == "padded19 none" {
			digit = .05
		}
		if w, ok := want[name]; ok && math.Abs(ratio-w) > digit {
			t.Errorf("%s: %.3f times smaller, want %v", name, ratio, w)
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("not counted: %v", want)
	}
}

// By hand: shared and own lengths take a byte each up to 127.
func TestFrontCoded(t *testing.T) {
	keys := [][]byte{[]byte("apple"), []byte("apples"), []byte("apply"), make([]byte, 200)}
	for restart, want := range map[int]uint64{
		0: 4 + 2 + 5 + 2 + 1 + 2 + 1 + 3 + 200,
		2: 4 + 2 + 5 + 2 + 1 + 4 + 2 + 5 + 3 + 200,
		1: 4*4 + 2*3 + 5 + 6 + 5 + 3 + 200,
	} {
		if got := frontCoded(keys, restart); got != want {
			t.Errorf("restart %d: %d bytes, want %d", restart, got, want)
		}
	}
}
