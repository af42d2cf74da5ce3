package filters

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Keys is a list of keys in one flat buffer, so that a pass over millions of
// them reads memory in order and costs 4 bytes a key beside the bytes
// themselves. Integer keys are their 8 bytes, little-endian.
//
// The zero value is an empty list, ready for use.
type Keys struct {
	data []byte
	ends []uint32 // ends[i] is where key i ends in data
}

// MaxKeyBytes is how many bytes the keys of one list may hold together.
const MaxKeyBytes = math.MaxUint32

// Len is the number of keys.
func (k *Keys) Len() int { return len(k.ends) }

// Bytes is the number of bytes of all keys together.
func (k *Keys) Bytes() int { return len(k.data) }

// At returns key i. The bytes belong to the list.
func (k *Keys) At(i int) []byte {
	start := uint32(0)
	if i > 0 {
		start = k.ends[i-1]
	}
	end := k.ends[i]
	return k.data[start:end:end]
}

// Append adds a copy of key to the list.
func (k *Keys) Append(key []byte) {
	k.data = append(k.data, key...)
	k.end()
}

// AppendString adds key to the list.
func (k *Keys) AppendString(key string) {
	k.data = append(k.data, key...)
	k.end()
}

// AppendUint64 adds the 8 little-endian bytes of v to the list.
func (k *Keys) AppendUint64(v uint64) {
	k.data = binary.LittleEndian.AppendUint64(k.data, v)
	k.end()
}

// AppendFunc adds the key that f appends to the buffer given to it.
func (k *Keys) AppendFunc(f func(buf []byte) []byte) {
	k.data = f(k.data)
	k.end()
}

func (k *Keys) end() {
	if uint64(len(k.data)) > MaxKeyBytes {
		panic(fmt.Sprintf("filters.Keys: more than %d bytes of keys in one list", uint64(MaxKeyBytes)))
	}
	k.ends = append(k.ends, uint32(len(k.data)))
}

// Reset empties the list and keeps its memory.
func (k *Keys) Reset() { k.data, k.ends = k.data[:0], k.ends[:0] }

// Grow makes room for n more keys of the given total size.
func (k *Keys) Grow(n, bytes int) {
	if cap(k.ends)-len(k.ends) < n {
		k.ends = append(make([]uint32, 0, len(k.ends)+n), k.ends...)
	}
	if cap(k.data)-len(k.data) < bytes {
		k.data = append(make([]byte, 0, len(k.data)+bytes), k.data...)
	}
}
