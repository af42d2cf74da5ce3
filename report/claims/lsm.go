package claims

import (
	"fmt"

	"filterbench/filters/theory"
	"filterbench/report/format"
	"filterbench/results"
	"filterbench/results/stat"
)

// The claims on LSM trees, whose tables have a filter each: counted in a model.

// lsmFilter is the filter of a table, at 10 bits for each of its keys.
const lsmFilter = "bloom:index=range,step=enhanced,k=auto"

func ofTree(name, tables string, pairs ...string) Cell {
	return cell(name, "filter", lsmFilter, "bits", "10", "tables", tables).with(pairs...)
}

var (
	// millionGets are for absent keys, of ten tables; fewGets are of a single one.
	millionGets = ofTree("LSM", "10", "hits", "0", "gets", "1000000")
	fewGets     = ofTree("LSM", "1", "hits", "0", "gets", "*")

	// liars turn one answer in a hundred into what they say.
	liars = []Cell{liarOf("truth", "0"), liarOf("maybe", "0"), liarOf("maybe", "100"), liarOf("no", "100")}
)

func liarOf(says, hits string) Cell {
	return ofTree("Liar", "10", "says", says, "hits", hits, "share", "1")
}

// residentOf has room for so many of ten tables' filters.
func residentOf(held string) Cell { return ofTree("Resident", "10", "held", held, "hits", "0") }

// treeCounts is what gets in a tree cost.
type treeCounts struct {
	tables, gets, probes, reads, saved, wrong, lost float64
	sd                                              float64 // of the rate between filters
}

func readTree(s *results.Set, c Cell) (t treeCounts, err error) {
	records, err := find(s, c)
	if err != nil {
		return t, err
	}
	r := records[0]
	tables, err := axisNumber(r, "tables", maxCount)
	if err != nil {
		return t, err
	}
	t.tables = float64(tables)
	for _, v := range []struct {
		unit   string
		lo, hi float64
		to     *float64
	}{
		{"queries", 1, maxCount, &t.gets}, {"probes", 1, maxCount, &t.probes}, {"reads", 0, maxCount, &t.reads},
		{"saved", 0, maxCount, &t.saved}, {"false", 0, maxCount, &t.wrong}, {"lost-gets", 0, maxCount, &t.lost},
	} {
		if *v.to, err = count(r, v.unit, v.lo, v.hi); err != nil {
			return t, err
		}
	}
	if _, ok := r.Value("model-sd"); ok {
		if t.sd, err = number(r, "model-sd", 0, 1); err != nil {
			return t, err
		}
	}
	switch {
	case t.probes > t.tables*t.gets:
		err = fault(r, "%v probes of %v tables by %v gets", t.probes, t.tables, t.gets)
	case t.saved != t.probes-t.reads:
		err = fault(r, "saved is %v, and probes less reads %v", t.saved, t.probes-t.reads)
	case t.wrong > t.reads || t.lost > t.gets:
		err = fault(r, "%v of %v reads are wrong, and %v of %v gets lost", t.wrong, t.reads, t.lost, t.gets)
	}
	return t, err
}

// treeRate is the rate of a table's filter.
func treeRate() float64 {
	const keys = 1000
	return theory.BloomExact(keys, 10*keys, theory.BloomBestProbes(keys, 10*keys))
}

// savesMillions judges "saves millions of reads": it takes enough gets and tables.
func savesMillions(s *results.Set) (Finding, error) {
	const millions = 2e6
	many, err := readTree(s, millionGets)
	if err != nil {
		return Finding{}, err
	}
	few, err := readTree(s, fewGets)
	found := Finding{Status: Conditions, Number: Quantity{many.saved, Count},
		Reason: fmt.Sprintf("reads saved by %s gets of absent keys of %v tables; %s by %s of one", format.Count(many.gets), many.tables, format.Count(few.saved), format.Count(few.gets))}
	switch {
	case many.saved < millions:
		found.Status = Wrong
	case few.saved >= millions:
		found.Status = Holds
	}
	return found, err
}

func savesTruth() Quantity {
	return Quantity{million * theory.LSMSaved(tables, treeRate(), 0, false), Count}
}

// filterFirst judges "the filter is asked before the disk": every table's filter
// is asked, and about T p of the tables are read.
func filterFirst(s *results.Set) (Finding, error) {
	t, err := readTree(s, millionGets)
	if err != nil {
		return Finding{}, err
	}
	lo, hi := stat.Sample{Hits: uint64(t.reads), Queries: uint64(t.probes), Filters: uint64(t.tables), SD: t.sd}.Interval(level)
	i := Interval{lo * t.tables, hi * t.tables}
	status, decided := i.about(t.reads/t.gets, filterFirstTruth().Value)
	if !decided {
		return Finding{}, fmt.Errorf("too few gets: %s", format.Count(t.gets))
	}
	if t.probes < t.tables*t.gets {
		status = Wrong
	}
	return Finding{status, Quantity{t.reads / t.gets, Count}, i,
		fmt.Sprintf("tables read by a get of an absent key, of %v; it asks %s filters", t.tables, format.Short(t.probes/t.gets))}, nil
}

func filterFirstTruth() Quantity {
	return Quantity{theory.LSMReads(tables, treeRate(), 0, false), Count}
}

var filterFirstClaim = Claim{
	Truth: filterFirstTruth, Formula: "T p tables read by a get of an absent key",
	Line:  "every table's filter is asked, and the tables that are read are about T p",
	Needs: []Cell{millionGets}, Judge: filterFirst, Want: Holds,
}

// sparesCompletely judges "a no spares the table's read completely": not if the
// filter had to be read first.
func sparesCompletely(s *results.Set) (Finding, error) {
	var cost [2]float64 // reads of tables and filters, over those of tables without filters
	for i, held := range []string{"10", "9"} {
		t, err := readTree(s, residentOf(held))
		if err != nil {
			return Finding{}, err
		}
		loads, err := total(s, residentOf(held), "filter-loads")
		if err != nil {
			return Finding{}, err
		}
		cost[i] = (t.reads + loads) / t.probes
	}
	found := Finding{Status: Conditions, Number: Quantity{cost[1], Factor},
		Reason: fmt.Sprintf("the reads of a tree without filters, if 9 of the 10 filters have room in memory; %s if all have", format.Percent(cost[0], 3))}
	switch {
	case cost[0] >= 1:
		found.Status = Wrong
	case cost[1] < 1:
		found.Status = Holds
	}
	return found, nil
}

func sparesTruth() Quantity { return Quantity{1 + treeRate(), Factor} }

// safeAndFatal judges "a false positive is safe, a false negative fatal".
func safeAndFatal(s *results.Set) (Finding, error) {
	var t [4]treeCounts
	for i, c := range liars {
		var err error
		if t[i], err = readTree(s, c); err != nil {
			return Finding{}, err
		}
	}
	honest, maybe, maybePresent, no := t[0], t[1], t[2], t[3]
	r := rate{Sample: stat.Sample{Hits: uint64(no.lost), Queries: uint64(no.gets), Filters: 1}}
	found := r.finding(Holds, "of the gets are lost to 1%% of false noes; 1%% of false maybes lose %s, and cost %s reads more for %s absent keys",
		format.Count(maybePresent.lost), format.Count(maybe.reads-honest.reads), format.Count(maybe.gets))
	if maybePresent.lost > 0 || no.lost == 0 {
		found.Status = Wrong
	}
	return found, nil
}

var safeAndFatalClaim = Claim{
	Truth: func() Quantity { return Quantity{0.01, Rate} }, Formula: "a false no hides a key of its table, and one answer in a hundred is one; a false maybe is a read that finds nothing",
	Line:  "WRONG if false maybes lose a get, or false noes none",
	Needs: liars, Judge: safeAndFatal, Want: Holds,
}
