// Package stat judges counted rates: how well a false-positive rate is known
// (intervals), and whether a count agrees with a model (p-values). What timing
// samples need is in golang.org/x/perf/benchmath instead.
//
// Rates and standard deviations are absolute numbers between 0 and 1, never
// percent. Levels are such as 0.95.
package stat
