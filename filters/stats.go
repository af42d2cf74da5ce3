package filters

// Histogrammer is a filter of counters that can show their values.
type Histogrammer interface {
	// Histogram is the number of counters of each value, from 0 to the largest.
	// A counter at the largest value may have lost count and stays there.
	Histogram() []uint64
}
