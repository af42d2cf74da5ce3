package registry

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"filterbench/filters"
	"filterbench/filters/hashing"
)

var update = flag.Bool("update", false, "write testdata/golden.txt anew")

// Every family that shows its state has the same one on every CPU, whatever
// its byte order, its caches and its kernels: the hashes were pinned on amd64.
func TestGoldenStates(t *testing.T) {
	const n, seed, path = 3000, 7, "testdata/golden.txt"
	var keys filters.Keys
	for i := range uint64(n) {
		keys.AppendUint64(hashing.Mix(i))
	}
	specs := Defaults()
	for _, text := range variants {
		specs = append(specs, Must(text))
	}
	var got strings.Builder
	seen := map[string]bool{}
	for _, spec := range specs {
		if name := spec.String(); !seen[name] {
			seen[name] = true
			if sum := stateHash(t, spec, &keys, seed); sum != "" {
				fmt.Fprintf(&got, "%s %s\n", sum, name)
			}
		}
	}
	if *update {
		if err := os.WriteFile(path, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	wantLines := strings.Split(string(want), "\n")
	for i, line := range strings.Split(got.String(), "\n") {
		if i >= len(wantLines) || line != wantLines[i] {
			t.Errorf("got  %s\nwant %s", line, strings.Join(wantLines[min(i, len(wantLines)):min(i+1, len(wantLines))], ""))
		}
	}
}

// stateHash is the SHA-256 of the filter's state, "" if it shows none.
func stateHash(t *testing.T, spec filters.Spec, keys *filters.Keys, seed uint64) string {
	t.Helper()
	d, err := spec.ForBits(uint64(keys.Len()), 14)
	if err != nil {
		return ""
	}
	f, err := d.Keyed(seed)
	if err != nil {
		t.Fatal(err)
	}
	defer filters.Free(f)
	if _, err := f.AddKeys(keys); err != nil {
		t.Fatalf("%s: %v", spec, err)
	}
	var inside filters.Filter = f
	if u, ok := f.(interface{ Unwrap() filters.Hashed }); ok {
		inside = u.Unwrap()
	}
	s, ok := inside.(filters.Snapshotter)
	if !ok {
		return ""
	}
	sum := sha256.Sum256(s.AppendState(nil))
	return hex.EncodeToString(sum[:])
}
