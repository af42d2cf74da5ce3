package claims

import "filterbench/results"

// frontRecords are an independent program's ratios (claims.md, A15).
func frontRecords() []results.Record {
	return []results.Record{
		rec("FrontCoding", "keys=padded19 restart=16 n=100000", "key-B", 2_300_000, "coded-B", 472_000),
		rec("FrontCoding", "keys=padded19 restart=none n=100000", "key-B", 2_300_000, "coded-B", 311_000),
		rec("FrontCoding", "keys=bytes16 restart=16 n=100000", "key-B", 1_600_000, "coded-B", 1_685_000),
	}
}

// doctoredFronts are doctored results of the claim on front coding.
var doctoredFronts = []doctored{
	{"A15", func(w *world) { w.set(frontCoded.with("keys", "padded19"), "coded-B", 450_000) }, Conditions},
	{"A15", func(w *world) { w.set(frontCoded, "coded-B", 300_000) }, Holds},
}
