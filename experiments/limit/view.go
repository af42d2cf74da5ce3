package limit

import "fmt"

// View is memory that is only read, by Sum, and may hold anything, such as a
// filter: words must start at a line and be a whole number of lines. Walks need
// the cycle that New lays.
func View(words []uint64) (*Memory, error) {
	if len(words) == 0 || len(words)%lineWords != 0 {
		return nil, fmt.Errorf("limit: the memory has %d bytes; allowed are whole lines of %d", 8*len(words), LineBytes)
	}
	return &Memory{words: words, lines: uint64(len(words) / lineWords)}, nil
}
