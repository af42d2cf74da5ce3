package guava

import (
	"testing"

	"filterbench/filters/filtertest"
)

// Batches that fetch lines first leave the bits that single adds leave, and give
// the answers of single lookups, whatever their lengths.
func TestFetchedBatches(t *testing.T) {
	fetched, plain := empty(t), empty(t)
	fetched.fetch, plain.fetch = true, false
	filtertest.KeyedBatches(t, fetched, plain)
}

func empty(t *testing.T) *Filter {
	t.Helper()
	f, err := New(100_003, 7)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Free)
	return f
}
