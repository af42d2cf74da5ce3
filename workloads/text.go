package workloads

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"

	"filterbench/filters/hashing"
)

// openTextbook is key{i} and ghost{i}. Another seed than 0 counts from a
// multiple of 2 x 10^12 that the seed picks, on both sides.
func openTextbook(name, _ string, _, seed uint64) (Source, error) {
	const room = 2_000_000_000_000
	start := uint64(0)
	if seed != 0 {
		start = (1 + hashing.Reduce(hashing.Mix(seed), 9_000_000)) * room
	}
	return &generated{
		name: name, present: room, absent: room, size: 16,
		key: func(buf []byte, i uint64, absent bool) []byte {
			prefix := "key"
			if absent {
				prefix = "ghost"
			}
			return strconv.AppendUint(append(buf, prefix...), start+i, 10)
		},
	}, nil
}

// openUUIDv4 makes version 4 UUIDs (RFC 9562, section 5.4): 122 bits, the first
// 64 of which are a bijection of the number.
func openUUIDv4(name, _ string, _, seed uint64) (Source, error) {
	state := hashing.Mix(seed + 4)
	return &generated{
		name: name, present: 1 << 63, absent: 1 << 63, size: 36,
		key: func(buf []byte, i uint64, absent bool) []byte {
			x := mix64(state, deal(i, absent))
			y := mix64(x, 0)
			high := x>>16<<16 | 4<<12 | x>>4&0xfff // 60 bits of x
			low := 2<<62 | x&0xf<<58 | y>>6        // the other 4, and 58 of y
			return appendUUID(buf, high, low)
		},
	}, nil
}

// openUUIDv7 makes version 7 UUIDs (RFC 9562, section 5.7): 16 a millisecond
// from the start of 2024 on, present and absent ones in turn, with 74 random
// bits behind, the first 64 of which are a bijection of the number.
func openUUIDv7(name, _ string, _, seed uint64) (Source, error) {
	const start = 1_704_067_200_000 // ms
	state := hashing.Mix(seed + 7)
	return &generated{
		name: name, present: 1 << 50, absent: 1 << 50, size: 36,
		key: func(buf []byte, i uint64, absent bool) []byte {
			x := mix64(state, deal(i, absent))
			y := mix64(x, 0)
			high := (start+i/8)<<16 | 7<<12 | x>>52     // 12 bits of x
			low := 2<<62 | x&(1<<52-1)<<10 | y>>(64-10) // the other 52, and 10 of y
			return appendUUID(buf, high, low)
		},
	}, nil
}

func appendUUID(buf []byte, high, low uint64) []byte {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:], high)
	binary.BigEndian.PutUint64(b[8:], low)
	buf = append(hex.AppendEncode(buf, b[:4]), '-')
	buf = append(hex.AppendEncode(buf, b[4:6]), '-')
	buf = append(hex.AppendEncode(buf, b[6:8]), '-')
	buf = append(hex.AppendEncode(buf, b[8:10]), '-')
	return hex.AppendEncode(buf, b[10:])
}

// openBytes makes N random bytes, the first 8 of which are a bijection of the
// number.
func openBytes(name, _ string, _, seed uint64) (Source, error) {
	const least, most = 8, 4096
	size, err := strconv.Atoi(name[len("bytes"):])
	if err != nil || size < least || size > most {
		return nil, fmt.Errorf("the N of bytesN must be from %d to %d", least, most)
	}
	state := hashing.Mix(seed + 8)
	return &generated{
		name: "bytes" + strconv.Itoa(size), present: 1 << 63, absent: 1 << 63, size: size,
		key: func(buf []byte, i uint64, absent bool) []byte {
			x := mix64(state, deal(i, absent))
			end := len(buf) + size
			buf = binary.LittleEndian.AppendUint64(buf, x)
			for word := uint64(0); len(buf) < end; word++ {
				buf = binary.LittleEndian.AppendUint64(buf, mix64(x, word))
			}
			return buf[:end]
		},
	}, nil
}
