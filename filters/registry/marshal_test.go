package registry

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"filterbench/filters"
	"filterbench/filters/filtertest"
)

// image is a small filter of the spec with a few keys, as bytes; nil if the
// family cannot be written.
func image(t testing.TB, spec string) []byte {
	t.Helper()
	d, err := Must(spec).ForBits(20, 12)
	if err != nil {
		return nil
	}
	f, err := d.Keyed(7)
	if err != nil {
		t.Fatal(err)
	}
	defer filters.Free(f)
	var keys filters.Keys
	for i := range uint64(15) {
		keys.AppendUint64(i)
	}
	if _, err := f.AddKeys(&keys); err != nil {
		t.Fatal(err)
	}
	out, err := filters.Marshal(d, f, 7)
	if err != nil {
		return nil
	}
	return out
}

func FuzzUnmarshal(f *testing.F) {
	for _, spec := range slices.Concat(defaults, variants) {
		if seed := image(f, spec); seed != nil {
			f.Add(seed)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) { filtertest.Hostile(t, Families, data) })
}

// header writes an image with a header of its own and a right checksum.
func header(spec string, n uint64, bits, rate float64, params []filters.Param, hash string, state []byte) []byte {
	le := binary.LittleEndian
	text := func(dst []byte, s string) []byte { return append(le.AppendUint16(dst, uint16(len(s))), s...) }
	b := le.AppendUint32([]byte("fltbench"), 1)
	b = le.AppendUint64(text(b, spec), n)
	b = le.AppendUint64(le.AppendUint64(b, math.Float64bits(bits)), math.Float64bits(rate))
	b = le.AppendUint16(b, uint16(len(params)))
	for _, p := range params {
		b = le.AppendUint64(text(b, p.Name), p.Value)
	}
	seed := uint64(7)
	if hash == "" { // the family hashes by itself
		seed = 0
	}
	b = le.AppendUint64(le.AppendUint64(text(b, hash), seed), 0)
	b = append(le.AppendUint64(b, uint64(len(state))), state...)
	return le.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

// The layout is fixed: this image is written here by hand, from the table in
// filters/marshal.go.
func TestImageLayout(t *testing.T) {
	const spec = "bloom:index=range,step=enhanced,k=3,kernel=auto"
	want := header(spec, 20, 12, 0, []filters.Param{{Name: "m", Value: 240}, {Name: "k", Value: 3}}, "xxh3", make([]byte, 8+30))
	d, f, seed, err := Unmarshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if d.Spec.String() != spec || d.N != 20 || seed != 7 || f.Len() != 0 {
		t.Errorf("%s, n=%d, seed %d, %d keys", d, d.N, seed, f.Len())
	}
	got, err := filters.Marshal(d, f, seed)
	if err != nil || string(got) != string(want) {
		t.Errorf("written as %q, want %q (%v)", got, want, err)
	}
}

// Hostile images are refused with a reason, before memory is spent on them.
func TestHostileImages(t *testing.T) {
	const bloom = "bloom:index=range,step=enhanced,k=3,kernel=auto"
	params := func(m, k uint64) []filters.Param {
		return []filters.Param{{Name: "m", Value: m}, {Name: "k", Value: k}}
	}
	small := make([]byte, 38)
	full := append(make([]byte, 8), strings.Repeat("\xff", 30)...)
	for name, c := range map[string]struct {
		image []byte
		want  string
	}{
		"empty":              {nil, "no filter"},
		"magic only":         {[]byte("fltbench\x01\x00\x00\x00"), "cut off"},
		"magic and version":  {[]byte("fltbench\x01\x00\x00\x00fltb"), "checksum"},
		"version":            {append([]byte("fltbench"), make([]byte, 40)...), "version 0"},
		"spec":               {header("cuckold", 20, 12, 0, params(240, 3), "xxh3", small), "unknown filter"},
		"short spec":         {header("bloom", 20, 12, 0, params(240, 7), "xxh3", small), "not spelled out"},
		"no keys":            {header(bloom, 0, 12, 0, params(240, 3), "xxh3", small), "number of keys"},
		"hash":               {header(bloom, 20, 12, 0, params(240, 3), "md5", small), "hashed by"},
		"sized twice":        {header(bloom, 20, 12, 0.1, params(240, 3), "xxh3", small), "one of the two"},
		"not sized":          {header(bloom, 20, 0, 0, params(240, 3), "xxh3", small), "one of the two"},
		"bits NaN":           {header(bloom, 20, math.NaN(), 0, params(240, 3), "xxh3", small), "bits per key"},
		"rate negative":      {header(bloom, 20, 0, -1, params(240, 3), "xxh3", small), "rate"},
		"params":             {header(bloom, 20, 12, 0, params(241, 3), "xxh3", small), "sizes it as"},
		"fewer params":       {header(bloom, 20, 12, 0, params(240, 3)[:1], "xxh3", small), "sizes it as"},
		"huge filter":        {header(bloom, 10_000, 64, 0, params(640_000, 3), "xxh3", small), "bytes of state"},
		"huge and by rate":   {header(bloom, 10_000, 0, 1e-15, params(640_000, 3), "xxh3", small), "sizes it as"},
		"keys beyond reason": {header(bloom, 1<<40, 1e-9, 0, params(1100, 3), "xxh3", small), "bytes of state"},
		"thin":               {header("blocked:block=64,k=1,kernel=auto", 1<<40, 1e-9, 0, params(1536, 1), "xxh3", make([]byte, 200)), "bytes of state"},
		"thin, just allowed": {header("blocked:block=64,k=1,kernel=auto", 100_000, 0.01, 0, params(1024, 2), "xxh3", make([]byte, 200)), "sizes it as"},
		"exact, huge":        {header("set", 1<<40, 12, 0, nil, "", small), "bytes of state"},
		"exact":              {header("array", 20, 12, 0, nil, "", small), "cannot be written"},
		"bits without keys":  {header(bloom, 20, 12, 0, params(240, 3), "xxh3", full), "bits are set"},
		"state too long":     {header(bloom, 20, 12, 0, params(240, 3), "xxh3", make([]byte, 39)), "a state of 39 bytes"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, f, _, err := Unmarshal(c.image)
		runtime.ReadMemStats(&after)
		if f != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want an error with %q", name, err, c.want)
		}
		if spent := after.TotalAlloc - before.TotalAlloc; spent > 1<<20 {
			t.Errorf("%s: %d bytes were allocated for %d", name, spent, len(c.image))
		}
	}
}
