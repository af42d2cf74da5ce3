package compare

import "filterbench/results"

// Medians reduces a run's samples to one record for each cell, the medians: what
// one process contributes where processes are compared, since two processes differ
// by more than the rounds inside one show. Counts are kept as they are.
func Medians(set *results.Set, experiment string) (records []results.Record) {
	r := &run{rows: map[string]row{}}
	for _, rec := range set.Records(experiment) {
		r.add(rec)
	}
	for _, name := range r.names {
		cell := r.rows[name]
		rec := cell.record
		rec.Values = nil
		for _, v := range cell.record.Values {
			rec.Values = append(rec.Values, results.Value{Unit: v.Unit, V: cell.median(v.Unit)})
		}
		records = append(records, rec)
	}
	return records
}
