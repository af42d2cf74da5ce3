package filters

// Histogrammer is a filter of counters that can show their values.
type Histogrammer interface {
	// Histogram is the number of counters of each value, from 0 to the largest.
	// A counter at the largest value may have lost count and stays there.
	Histogram() []uint64
}

// Loader is a filter of slots that can say how full it is.
type Loader interface {
	// Load is the share of slots that is filled, 0 to 1.
	Load() float64
}

// Clusterer is a filter by linear probing that can show how its filled slots
// lie. Element i of the histograms counts what is i slots long; they end with
// the longest.
type Clusterer interface {
	// Stretches are maximal sequences of filled slots: what an add may move.
	Stretches() []uint64
	// Clusters are sequences of filled slots of which only the first holds a
	// fingerprint in its own slot; several can make a stretch.
	Clusters() []uint64
}

// Kicker is a filter that moves what it holds to make room for more.
type Kicker interface {
	// Kicks is how many moves the adds that were taken have made.
	Kicks() uint64
	// Refused is how many adds found no room.
	Refused() uint64
}
