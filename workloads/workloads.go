// Package workloads makes the keys that filters hold and are asked for.
//
// Keys are functions of an index and a seed. They are injective by
// construction, and so are present and absent keys taken together: no set is
// needed to know that a key is absent, and a billion of them need no memory. The
// lines of real files, which have no such construction, are sorted and compared
// instead.
//
// The same specification, index and seed give the same bytes on every machine.
package workloads

import (
	"fmt"
	"strconv"
	"strings"

	"filterbench/filters"
)

// Source makes present keys, to add, and absent keys, to ask for. The two never
// overlap, and no key comes twice. A Source has no state: ranges may be asked
// for in any order, in any pieces and concurrently.
type Source interface {
	// Name is the canonical specification, such as "strided:stride=4096"; it
	// holds no slash and no white space.
	Name() string
	// Present appends the present keys of the indices from (inclusive) to to
	// (exclusive); Absent likewise. They panic beyond the Limits.
	Present(dst *filters.Keys, from, to uint64)
	Absent(dst *filters.Keys, from, to uint64)
	// Limits is how many keys there are of each.
	Limits() (present, absent uint64)
}

// Kind describes a workload that Open knows.
type Kind struct {
	Name    string // "bytesN" stands for any N
	Summary string // one line
	// Option is the one option it has, "stride=4096" with its default, or "".
	Option string

	open func(name, option string, n, seed uint64) (Source, error)
}

// Kinds lists all workloads that Open knows.
func Kinds() []Kind {
	return []Kind{
		{Name: "textbook", Summary: "key0, key1, ... and ghost0, ghost1, ..., as in the textbook exercise", open: openTextbook},
		{Name: "random", Summary: "random 64-bit numbers", open: openRandom},
		{Name: "sequential", Summary: "64-bit numbers: 0 to n-1 present, n and on absent", open: openSequential},
		{Name: "strided", Summary: "64-bit numbers a power of two apart", Option: "stride=4096", open: openStrided},
		{Name: "uuidv4", Summary: "random UUIDs, as text of 36 bytes", open: openUUIDv4},
		{Name: "uuidv7", Summary: "UUIDs that begin with the time, as text of 36 bytes", open: openUUIDv7},
		{Name: "url", Summary: "web addresses of a crawl, about 77 bytes", open: openURL},
		{Name: "bytesN", Summary: "N random bytes, N from 8 to 4096", open: openBytes},
		{Name: "words", Summary: "the American English words of Debian's wamerican, split into present and absent", open: openWords},
	}
}

// Open returns the keys that a specification names, such as "random",
// "strided:stride=65536" or "bytes20". n is the number of keys that will be
// added; a workload that has fewer refuses. Seed 0 gives the plainest keys:
// exactly the textbook's, and sequences that begin at 0.
func Open(spec string, n, seed uint64) (Source, error) {
	name, option, hasOption := strings.Cut(strings.TrimSpace(spec), ":")
	k, err := find(name)
	if err != nil {
		return nil, err
	}
	if hasOption && k.Option == "" {
		return nil, fmt.Errorf("workload %q: %s has no options", spec, k.Name)
	}
	src, err := k.open(name, option, n, seed)
	if err != nil {
		return nil, fmt.Errorf("workload %q: %w", spec, err)
	}
	if present, _ := src.Limits(); n > present {
		return nil, fmt.Errorf("workload %q has %d present keys; %d were asked for", spec, present, n)
	}
	return src, nil
}

func find(name string) (Kind, error) {
	var names []string
	for _, k := range Kinds() {
		if name == k.Name && name != "bytesN" {
			return k, nil
		}
		if digits, ok := strings.CutPrefix(name, "bytes"); ok && k.Name == "bytesN" && digits != "" && strings.Trim(digits, "0123456789") == "" {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return Kind{}, fmt.Errorf("unknown workload %q; there are: %s (such as bytes20)", name, strings.Join(names, ", "))
}

// generated is a source whose keys are computed, by one of two functions.
type generated struct {
	name            string
	present, absent uint64
	size            int                                            // bytes of a key, roughly
	number          func(i uint64, absent bool) uint64             // a key of 8 bytes
	key             func(buf []byte, i uint64, absent bool) []byte // appends any other
}

func (g *generated) Name() string             { return g.name }
func (g *generated) Limits() (uint64, uint64) { return g.present, g.absent }

func (g *generated) Present(dst *filters.Keys, from, to uint64) {
	checkRange(g.name, "present", from, to, g.present)
	g.fill(dst, from, to, false)
}

func (g *generated) Absent(dst *filters.Keys, from, to uint64) {
	checkRange(g.name, "absent", from, to, g.absent)
	g.fill(dst, from, to, true)
}

func (g *generated) fill(dst *filters.Keys, from, to uint64, absent bool) {
	if n := int(to - from); n > 1 {
		dst.Grow(n, n*g.size)
	}
	if g.number != nil {
		for i := from; i < to; i++ {
			dst.AppendUint64(g.number(i, absent))
		}
		return
	}
	for i := from; i < to; i++ {
		dst.AppendFunc(func(buf []byte) []byte { return g.key(buf, i, absent) })
	}
}

// checkRange panics, like an index out of range, since it is the caller's code
// that is at fault.
func checkRange(name, side string, from, to, limit uint64) {
	if from > to || to > limit {
		panic(fmt.Sprintf("workloads: %s keys %d to %d of %s, which has %d", side, from, to, name, limit))
	}
}

// deal numbers present and absent keys as one sequence, alternately, so that a
// bijection of the number makes disjoint keys of both.
func deal(i uint64, absent bool) uint64 {
	if absent {
		return 2*i + 1
	}
	return 2 * i
}

// parsePowerOfTwo reads an option "name=value" whose value is a power of two.
func parsePowerOfTwo(option, name string, least, most uint64) (uint64, error) {
	key, value, ok := strings.Cut(option, "=")
	if !ok || key != name {
		return 0, fmt.Errorf("unknown option %q; there is: %s=", option, name)
	}
	v, err := strconv.ParseUint(value, 10, 64)
	if err != nil || v < least || v > most || v&(v-1) != 0 {
		return 0, fmt.Errorf("%s is %q; allowed is a power of two from %d to %d", name, value, least, most)
	}
	return v, nil
}
