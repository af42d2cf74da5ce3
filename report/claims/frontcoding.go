package claims

import (
	"fmt"
	"math"

	"filterbench/results"
)

// The claim on sorted keys that leave out what they share with the one before.

// frontCoded are all kinds of keys, with a restart after 16 as LevelDB has it.
var frontCoded = cell("FrontCoding", "keys", "*", "restart", "16")

// fiveToTen judges "5 to 10 times smaller".
func fiveToTen(s *results.Set) (Finding, error) {
	records, err := find(s, frontCoded)
	if err != nil {
		return Finding{}, err
	}
	least, most, best := math.Inf(1), 0.0, ""
	for _, r := range records {
		plain, err := count(r, "key-B", 1, maxCount)
		if err != nil {
			return Finding{}, err
		}
		coded, err := count(r, "coded-B", 1, maxCount)
		if err != nil {
			return Finding{}, err
		}
		least = min(least, plain/coded)
		if plain/coded > most {
			most, best = plain/coded, r.Axis("keys")
		}
	}
	found := Finding{Status: Conditions, Number: Quantity{most, Factor},
		Reason: fmt.Sprintf("smaller at best, for %s; %.2f times at worst, of %d kinds of keys", best, least, len(records))}
	switch {
	case most < 5:
		found.Status = Wrong
	case least >= 5:
		found.Status = Holds
	}
	return found, nil
}
