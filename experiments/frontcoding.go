package experiments

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"time"

	"filterbench/filters"
	"filterbench/results"
	"filterbench/workloads"
)

// FrontCoding counts what sorted keys take if each holds only what it does not
// share with the one before, as the blocks of LevelDB's tables do.
var FrontCoding = Experiment{
	Name:     "frontcoding",
	Question: "How much smaller do sorted keys get if each leaves out the prefix that it shares with the one before?",
	Plan:     planFrontCoding,
}

const frontKeys = 100_000

// frontRestarts is after how many keys one stands in full again, with an offset
// by which a search finds it; 0 is never.
var frontRestarts = []int{16, 0}

// frontSets are the keys: those of workloads, and three that the texts' claim is
// tried on.
var frontSets = []struct {
	name string
	key  func(i uint64) string // nil for a workload's
}{
	{"textbook", nil},
	{"padded8", func(i uint64) string { return fmt.Sprintf("key%08d", i) }},
	{"padded19", func(i uint64) string { return fmt.Sprintf("user%019d", i) }},
	{"url", nil}, {"uuidv4", nil}, {"uuidv7", nil},
	{"sha1", func(i uint64) string {
		sum := sha1.Sum(strconv.AppendUint(nil, i, 10))
		return hex.EncodeToString(sum[:])
	}},
	{"bytes16", nil},
}

func planFrontCoding(c Config) ([]Unit, error) {
	var units []Unit
	for _, set := range frontSets {
		units = append(units, Unit{
			ID: "frontcoding/FrontCoding/keys=" + set.name, Steps: 1,
			Cost: frontKeys * 900 * time.Nanosecond, Bytes: frontKeys * 300,
			Run: func(ctx context.Context, _ int, emit Emit) error {
				keys, err := frontKeysOf(ctx, set.name, set.key)
				if err != nil {
					return err
				}
				return emit(0, frontRecords(set.name, keys))
			},
		})
	}
	return units, nil
}

// frontKeysOf are the keys of a set, sorted. They do not depend on the run's
// seed.
func frontKeysOf(ctx context.Context, name string, key func(i uint64) string) ([][]byte, error) {
	var list filters.Keys
	if key == nil {
		src, err := workloads.Open(name, frontKeys, 0)
		if err != nil {
			return nil, err
		}
		src.Present(&list, 0, frontKeys)
	} else {
		for i := range uint64(frontKeys) {
			list.AppendString(key(i))
		}
	}
	keys := make([][]byte, list.Len())
	for i := range keys {
		keys[i] = list.At(i)
	}
	slices.SortFunc(keys, bytes.Compare)
	return keys, ctx.Err()
}

func frontRecords(name string, keys [][]byte) (records []results.Record) {
	var plain uint64
	for _, k := range keys {
		plain += uint64(len(k))
	}
	for _, restart := range frontRestarts {
		text := strconv.Itoa(restart)
		if restart == 0 {
			text = "none"
		}
		records = append(records, record("FrontCoding", axes("keys", name, "restart", text, "n", len(keys)),
			"key-B", plain, "coded-B", frontCoded(keys, restart)))
	}
	return records
}

// frontCoded is the size of sorted keys, front-coded: for each a varint of the
// bytes that it shares with the one before, a varint of those that it does not,
// and these; 4 bytes more for each that stands in full by restart.
//
// Source: the format of LevelDB's blocks (doc/table_format.md, table/block_builder.cc).
func frontCoded(keys [][]byte, restart int) (size uint64) {
	const offset = 4
	var before []byte
	for i, k := range keys {
		shared := 0
		if i == 0 || restart > 0 && i%restart == 0 {
			size += offset
		} else {
			for shared < min(len(before), len(k)) && before[shared] == k[shared] {
				shared++
			}
		}
		own := len(k) - shared
		size += varintLen(shared) + varintLen(own) + uint64(own)
		before = k
	}
	return size
}

// varintLen is how many bytes a number takes, 7 bits in each.
func varintLen(v int) (n uint64) {
	for n = 1; v >= 1<<7; v >>= 7 {
		n++
	}
	return n
}
