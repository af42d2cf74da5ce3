package theory

import "math"

// LSMReads is the expected number of tables that a get reads in an LSM tree of
// so many tables, each with a filter of the rate p and each as likely as the
// others to hold a key that is present; hits is the share of gets for such keys.
// An absent key reads T p tables; a present one its own and p of the others, of
// which, if the search stops early, only the newer half is asked.
//
// Source: Dayan, Athanassoulis and Idreos, Monkey: optimal navigable key-value
// store, SIGMOD 2017, section 3.
func LSMReads(tables int, p, hits float64, early bool) float64 {
	others := float64(tables - 1)
	if early {
		others /= 2
	}
	return (1-hits)*float64(tables)*p + hits*(1+others*p)
}

// LSMSaved is the expected number of table reads that such filters save a get:
// those that a tree without filters would make, less LSMReads.
func LSMSaved(tables int, p, hits float64, early bool) float64 {
	return LSMReads(tables, 1, hits, early) - LSMReads(tables, p, hits, early)
}

// LSMAnyRead is the chance that a get of an absent key reads any of the tables.
func LSMAnyRead(tables int, p float64) float64 {
	return -math.Expm1(float64(tables) * math.Log1p(-p))
}

// BreakEvenRead is the least cost of a read for which filters pay, in the unit
// of the cost of asking one: filters save LSMSaved reads, and cost a probe for
// each table that is asked. It is infinite where they save nothing.
func BreakEvenRead(probe float64, tables int, p, hits float64, early bool) float64 {
	asked := LSMReads(tables, 1, hits, early) // without filters each table asked is read
	saved := LSMSaved(tables, p, hits, early)
	if !(saved > 0) {
		return math.Inf(1)
	}
	return probe * asked / saved
}
