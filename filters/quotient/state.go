package quotient

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// AppendState appends the number of fingerprints, 8 bytes little-endian, and
// the bytes of the table.
func (t *table) AppendState(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, t.n)
	return append(dst, t.data...)
}

// load sets an empty table to a state. A table is determined by the
// fingerprints in it: so a state is right just if the fingerprints that are
// read from it, by a walk that takes any bytes, make a table of the same bytes.
func load(l layout, state []byte, over func(data []byte) layout) error {
	t := l.base()
	if t.n != 0 {
		return fmt.Errorf("quotient filter: a state can be loaded by an empty filter only; this one has %d keys", t.n)
	}
	if len(state) != 8+len(t.data) {
		return fmt.Errorf("quotient filter: a state of %d bytes; one of %d slots of %d bits has %d", len(state), t.slots, t.r, 8+len(t.data))
	}
	n, data := binary.LittleEndian.Uint64(state), state[8:]
	if most := capacity(t.slots); n > most {
		return fmt.Errorf("quotient filter: a state of %d keys; %d slots hold at most %d", n, t.slots, most)
	}
	from := over(data)
	if countSorted(from, n) == n {
		fill(l, fingerprints(from))
	}
	if t.n != n || !bytes.Equal(t.data, data) {
		clear(t.data)
		t.n = 0
		return fmt.Errorf("quotient filter: the state is no table of %d keys", n)
	}
	return nil
}

// countSorted counts the fingerprints; it returns another number than n as
// soon as there are more, or one is not in order.
func countSorted(l layout, n uint64) (count uint64) {
	last := uint64(0)
	for fp := range fingerprints(l) {
		if count++; fp < last || count > n {
			return n + 1
		}
		last = fp
	}
	return count
}
