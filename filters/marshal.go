package filters

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
)

// An image is a filter as bytes. Everything is little-endian, and one filter
// has one image:
//
//	8 bytes     magic, "fltbench"
//	uint32      version of the format, 1
//	uint16, ... length of the spec's text, and the text with all options
//	uint64      keys that the filter was sized for
//	float64     bits per key it was sized by, or 0
//	float64     false-positive rate it was sized by, or 0
//	uint16      number of resolved parameters, and for each of them
//	  uint16, ...   length of its name, and the name
//	  uint64        its value
//	uint16, ... length of the hash function's name, and the name; empty where
//	            the family hashes by itself
//	uint64      seed of the hash
//	uint64      keys accepted
//	uint64      length of the state, and the state (see Snapshotter)
//	uint32      CRC-32C of everything before
//
// The spec, the keys and what it was sized by give the design; the parameters
// are there so that a program that sizes otherwise notices.
const (
	imageMagic   = "fltbench"
	imageVersion = 1
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Bounds that keep a hostile image from costing more than its own size.
const (
	// maxKeysPerByte is the most keys for each byte of state: at 1/64 bit a
	// key every filter says "maybe" to all. Sizing takes time and memory with
	// the keys' number, though little.
	maxKeysPerByte = 512
	// imagePadding is by how many bytes a filter's memory may exceed its
	// state: the padding of a few blocks to whole pages.
	imagePadding = 32 << 10
)

// Marshal returns the image of f, a filter of the design d whose keys were
// hashed with the seed. Unmarshal reads it back. It fails where the family has no
// snapshot, and where f is seen not to be of this design or seed.
func Marshal(d Design, f Filter, seed uint64) ([]byte, error) {
	if a, ok := f.(*hashedKeys); ok {
		if a.hash != d.Spec.Family.Hash || a.seed != seed {
			return nil, fmt.Errorf("marshal %s: the filter's hash is %s with seed %d, not %s with seed %d", d.Spec, a.hash, a.seed, d.Spec.Family.Hash, seed)
		}
		f = a.Hashed
	}
	s, ok := f.(Snapshotter)
	if !ok {
		return nil, fmt.Errorf("marshal %s: this family cannot be written", d.Spec)
	}
	if f.SizeBits() != d.SizeBits {
		return nil, fmt.Errorf("marshal %s: the filter has %d bits, the design %d", d.Spec, f.SizeBits(), d.SizeBits)
	}
	h := imageHeader{
		spec: d.Spec.String(), n: d.N, askedBits: d.AskedBits, askedFPR: d.AskedFPR,
		params: d.Params, hash: hashName(d.Spec.Family), seed: seed, accepted: f.Len(),
	}
	if h.hash == "" {
		h.seed = 0
	}
	image := h.append(make([]byte, 0, 256+d.SizeBits/8))
	lengthAt := len(image)
	image = s.AppendState(append(image, make([]byte, 8)...))
	length := uint64(len(image) - lengthAt - 8)
	if err := checkImageSize(d, length); err != nil {
		return nil, fmt.Errorf("marshal %s: %w", d.Spec, err)
	}
	binary.LittleEndian.PutUint64(image[lengthAt:], length)
	return binary.LittleEndian.AppendUint32(image, crc32.Checksum(image, castagnoli)), nil
}

// Unmarshal reads an image of a filter of one of the families. It returns the
// filter, the design it is of, and the seed of its hash. Bytes that are no such
// image are an error. A filter is allocated only if the image is as large as it
// (give or take 32 KiB of padding); before that, sizing it takes working memory
// in proportion to the root of the image's length, some MB for an image of 1 MB.
func Unmarshal(families []*Family, image []byte) (d Design, f Keyed, seed uint64, err error) {
	h, state, err := readImage(image)
	if err != nil {
		return Design{}, nil, 0, fmt.Errorf("unmarshal: %w", err)
	}
	if d, err = h.design(families, uint64(len(state))); err != nil {
		return Design{}, nil, 0, fmt.Errorf("unmarshal: %w", err)
	}
	if f, err = d.Keyed(h.seed); err != nil {
		return Design{}, nil, 0, fmt.Errorf("unmarshal: %w", err)
	}
	if err = h.load(f, state); err != nil {
		Free(f)
		return Design{}, nil, 0, fmt.Errorf("unmarshal %s: %w", d.Spec, err)
	}
	return d, f, h.seed, nil
}

// imageHeader is what stands before the state.
type imageHeader struct {
	spec                string
	n                   uint64
	askedBits, askedFPR float64
	params              []Param
	hash                string
	seed, accepted      uint64
}

// hashName is the hash that the family's keyed form applies, or "".
func hashName(f *Family) string {
	if f.KeyedOnly {
		return ""
	}
	return f.Hash.String()
}

func (h *imageHeader) append(dst []byte) []byte {
	text := func(s string) {
		dst = binary.LittleEndian.AppendUint16(dst, uint16(len(s)))
		dst = append(dst, s...)
	}
	number := func(v uint64) { dst = binary.LittleEndian.AppendUint64(dst, v) }
	dst = append(dst, imageMagic...)
	dst = binary.LittleEndian.AppendUint32(dst, imageVersion)
	text(h.spec)
	number(h.n)
	number(math.Float64bits(h.askedBits))
	number(math.Float64bits(h.askedFPR))
	dst = binary.LittleEndian.AppendUint16(dst, uint16(len(h.params)))
	for _, p := range h.params {
		text(p.Name)
		number(p.Value)
	}
	text(h.hash)
	number(h.seed)
	number(h.accepted)
	return dst
}

// readImage takes an image apart.
func readImage(image []byte) (h imageHeader, state []byte, err error) {
	body := len(image) - 4
	r := imageReader{rest: image[:max(body, 0)]}
	if magic := r.take(8); string(magic) != imageMagic {
		return h, nil, errors.New("this is no filter: the first bytes are not " + imageMagic)
	}
	if version := r.uint32(); !r.short && version != imageVersion {
		return h, nil, fmt.Errorf("version %d of the format; this program reads version %d", version, imageVersion)
	}
	if r.short {
		return h, nil, errTruncated
	}
	if want := binary.LittleEndian.Uint32(image[body:]); crc32.Checksum(image[:body], castagnoli) != want {
		return h, nil, errors.New("the checksum is wrong: the bytes are damaged or cut off")
	}
	h.spec = r.text()
	h.n = r.uint64()
	h.askedBits = math.Float64frombits(r.uint64())
	h.askedFPR = math.Float64frombits(r.uint64())
	for range r.uint16() {
		h.params = append(h.params, Param{Name: r.text(), Value: r.uint64()})
		if r.short {
			break
		}
	}
	h.hash = r.text()
	h.seed = r.uint64()
	h.accepted = r.uint64()
	length := r.uint64()
	if r.short {
		return h, nil, errTruncated
	}
	if length != uint64(len(r.rest)) {
		return h, nil, fmt.Errorf("%d bytes of state where %d were announced", len(r.rest), length)
	}
	return h, r.rest, nil
}

var errTruncated = errors.New("the header is cut off")

// imageReader reads from the front; short says that the bytes did not suffice.
type imageReader struct {
	rest  []byte
	short bool
}

// take returns the next n bytes, or nil.
func (r *imageReader) take(n int) []byte {
	if r.short = r.short || len(r.rest) < n; r.short {
		return nil
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *imageReader) uint16() uint16 {
	if b := r.take(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (r *imageReader) uint32() uint32 {
	if b := r.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *imageReader) uint64() uint64 {
	if b := r.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (r *imageReader) text() string { return string(r.take(int(r.uint16()))) }

// design sizes the filter again and compares it with what the header says. It
// returns only designs that the state is large enough for.
func (h *imageHeader) design(families []*Family, stateBytes uint64) (Design, error) {
	spec, err := ParseSpec(families, h.spec)
	if err != nil {
		return Design{}, err
	}
	if spec.String() != h.spec {
		return Design{}, fmt.Errorf("the spec %q is not spelled out: %s", h.spec, spec)
	}
	if hash := hashName(spec.Family); h.hash != hash || hash == "" && h.seed != 0 {
		return Design{}, fmt.Errorf("%s: its keys are hashed by %q with seed %d; here the hash is %q", spec, h.hash, h.seed, hash)
	}
	if err := checkDensity(h.n, stateBytes); err != nil {
		return Design{}, fmt.Errorf("%s: %w", spec, err)
	}
	var d Design
	switch byBits, byFPR := math.Float64bits(h.askedBits) != 0, math.Float64bits(h.askedFPR) != 0; {
	case byBits == byFPR:
		return Design{}, fmt.Errorf("%s: sized by %v bits per key and a rate of %v; it must be one of the two", spec, h.askedBits, h.askedFPR)
	case byBits:
		d, err = spec.ForBits(h.n, h.askedBits)
	default:
		d, err = spec.ForFPR(h.n, h.askedFPR)
	}
	if err != nil {
		return Design{}, err
	}
	if !equalParams(d.Params, h.params) {
		return Design{}, fmt.Errorf("the filter is %s, but this program sizes it as %s", Design{Spec: spec, Params: h.params}, d)
	}
	return d, checkImageSize(d, stateBytes)
}

func equalParams(a, b []Param) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// checkDensity bounds the keys by the state.
func checkDensity(n, stateBytes uint64) error {
	if n/maxKeysPerByte > stateBytes {
		return fmt.Errorf("%d bytes of state for %d keys are less than 1/64 bit per key, which is no filter", stateBytes, n)
	}
	return nil
}

// checkImageSize bounds what a filter of the design will allocate by its state.
func checkImageSize(d Design, stateBytes uint64) error {
	switch {
	case d.SizeBits == 0:
		return errors.New("this family cannot be written")
	case d.SizeBits/8 > stateBytes+imagePadding:
		return fmt.Errorf("%d bytes of state for a filter of %d bytes", stateBytes, d.SizeBits/8)
	}
	return checkDensity(d.N, stateBytes)
}

// load gives an empty filter its state.
func (h *imageHeader) load(f Keyed, state []byte) error {
	var inner Filter = f
	if a, ok := f.(*hashedKeys); ok {
		inner = a.Hashed
	}
	s, ok := inner.(Snapshotter)
	if !ok {
		return errors.New("this family cannot be read")
	}
	if err := s.LoadState(state); err != nil {
		return err
	}
	if f.Len() != h.accepted {
		return fmt.Errorf("the state is of %d keys, the header says %d", f.Len(), h.accepted)
	}
	return nil
}
