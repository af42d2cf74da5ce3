package claims

import (
	"fmt"

	"filterbench/results"
)

// The claim on the cost of hashing.

// hashOf is a hash of a key of 8 bytes.
func hashOf(name, calls string) Cell {
	return cell("Hash", "hash", name, "calls", calls, "bytes", "8", "size", "*")
}

// hashedProbe is a lookup of an absent key that is given the hash.
var hashedProbe = cell("Probe", "filter", plainFilter, "hits", "0", "size", "*")

func hashCells() []Cell {
	return []Cell{hashOf("sha256", "1"), hashOf("md5", "7"), hashOf("xxh3", "1"), hashedProbe}
}

// tooSlow judges "SHA-256 is far too slow for k = 7": whether hashing takes over
// ten times the rest of the lookup, with as many digests as positions and with
// one that is cut into them.
func tooSlow(s *results.Set) (Finding, error) {
	const far, digests = 10, 7
	one, i, err := timeRatio(s, hashOf("sha256", "1"), hashedProbe, 1)
	if err != nil {
		return Finding{}, err
	}
	md5, _, err := timeRatio(s, hashOf("md5", "7"), hashedProbe, 1)
	if err != nil {
		return Finding{}, err
	}
	fast, _, err := timeRatio(s, hashOf("xxh3", "1"), hashedProbe, 1)
	if err != nil {
		return Finding{}, err
	}
	found := Finding{Conditions, Quantity{one, Factor}, i,
		fmt.Sprintf("the time of a lookup's probes for one digest, %.0fx for seven; the texts' seven of MD5 take %.0fx, XXH3 %.2gx", digests*one, md5, fast)}
	switch {
	case i.Lo > far:
		found.Status = Holds
	case digests*i.Hi <= far:
		found.Status = Wrong
	}
	return found, nil
}
