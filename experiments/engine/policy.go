// Package engine does gets on a real LSM engine, Pebble, in a directory of its
// own, with any filter that can be written to bytes.
package engine

import (
	"bytes"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"

	"filterbench/filters"
	"filterbench/filters/registry"

	"github.com/cockroachdb/pebble/v2"
	"github.com/zeebo/xxh3"
)

// Policy lets Pebble's tables have filters of a spec. Its name holds the spec,
// and a table the name, so that a store that is opened again asks its filters by
// the right policy.
//
// Pebble hands over a filter's bytes for each lookup. They begin with a digest of
// the rest, by which the filter read from them before is found again: reading
// one copies it, which no lookup can afford. These copies take as much memory as
// the filters, until Close.
type Policy struct {
	spec filters.Spec
	bits float64

	mu   sync.Mutex // held while known is replaced
	read atomic.Pointer[map[digest]filters.Keyed]
	mute atomic.Int64 // filters that answer nothing: see writer.Finish
}

type digest [16]byte

// NewPolicy makes the policy of filters of so many bits per key. It fails for a
// family that cannot be written to bytes.
func NewPolicy(spec filters.Spec, bits float64) (*Policy, error) {
	p := &Policy{spec: spec, bits: bits}
	p.read.Store(&map[digest]filters.Keyed{})
	var one filters.Keys
	one.AppendString("key")
	if _, err := p.image(&one); err != nil {
		return nil, err
	}
	return p, nil
}

// Name holds the spec and the bits per key.
func (p *Policy) Name() string { return fmt.Sprintf("filterbench %s bits=%v", p.spec, p.bits) }

// Mute is how many tables have no filter, since theirs refused a key.
func (p *Policy) Mute() int { return int(p.mute.Load()) }

// Close frees the filters that lookups have read. The policy is then as new.
func (p *Policy) Close() {
	for _, f := range *p.read.Swap(&map[digest]filters.Keyed{}) {
		filters.Free(f)
	}
}

// MayContain asks a table's filter. Bytes that are no filter rule nothing out.
func (p *Policy) MayContain(_ pebble.FilterType, filter, key []byte) bool {
	if len(filter) < len(digest{}) {
		return true
	}
	d := digest(filter)
	f, ok := (*p.read.Load())[d]
	if !ok {
		if f = p.readFilter(d, filter[len(d):]); f == nil {
			return true
		}
	}
	return f.Contains(key)
}

// readFilter reads a filter and keeps it. It returns nil for bytes that are none.
func (p *Policy) readFilter(d digest, image []byte) filters.Keyed {
	p.mu.Lock()
	defer p.mu.Unlock()
	known := *p.read.Load()
	if f, ok := known[d]; ok {
		return f
	}
	if digestOf(image) != d {
		return nil
	}
	_, f, _, err := registry.Unmarshal(image)
	if err != nil {
		return nil
	}
	known = maps.Clone(known)
	known[d] = f
	p.read.Store(&known)
	return f
}

func digestOf(image []byte) digest { return xxh3.Hash128(image).Bytes() }

// NewWriter makes the writer of a table's filter.
func (p *Policy) NewWriter(pebble.FilterType) pebble.FilterWriter { return &writer{policy: p} }

// writer gathers a table's keys: how large its filter must be is known at the
// end, and static ones take all of them at once.
type writer struct {
	policy *Policy
	keys   filters.Keys
}

// AddKey adds a key. Versions of one come one after the other.
func (w *writer) AddKey(key []byte) {
	if n := w.keys.Len(); n > 0 && bytes.Equal(w.keys.At(n-1), key) {
		return
	}
	w.keys.Append(key)
}

// Finish appends the filter, or nothing, which rules out nothing, if it did not
// take all keys: a key that it lacks would be lost.
func (w *writer) Finish(dst []byte) []byte {
	image, err := w.policy.image(&w.keys)
	w.keys.Reset()
	if err != nil {
		w.policy.mute.Add(1)
		return dst
	}
	d := digestOf(image)
	return append(append(dst, d[:]...), image...)
}

// image is a filter of the keys as bytes.
func (p *Policy) image(keys *filters.Keys) ([]byte, error) {
	const seed = 0
	d, err := p.spec.ForBits(uint64(keys.Len()), p.bits)
	if err != nil {
		return nil, err
	}
	f, err := d.Keyed(seed)
	if err != nil {
		return nil, err
	}
	defer filters.Free(f)
	if _, err := f.AddKeys(keys); err != nil {
		return nil, err
	}
	return filters.Marshal(d, f, seed)
}
