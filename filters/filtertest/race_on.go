//go:build race

package filtertest

// raced: the race detector makes sync.Pool drop what it is given, at random.
const raced = true
