package experiments

import (
	"fmt"
	"strconv"

	"filterbench/results"
)

// axes makes the axes of a record from alternating keys and values.
func axes(pairs ...any) []results.Axis {
	out := make([]results.Axis, 0, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, results.Axis{Key: pairs[i].(string), Value: fmt.Sprint(pairs[i+1])})
	}
	return out
}

// record makes a record of one operation from alternating units and values.
func record(name string, axes []results.Axis, pairs ...any) results.Record {
	r := results.Record{Name: name, Axes: axes, Iters: 1}
	for i := 0; i < len(pairs); i += 2 {
		r.Values = append(r.Values, results.Value{Unit: pairs[i].(string), V: number(pairs[i+1])})
	}
	return r
}

func number(v any) float64 {
	switch v := v.(type) {
	case float64:
		return v
	case int:
		return float64(v)
	case uint64:
		return float64(v)
	}
	panic(fmt.Sprintf("experiments: %T is not a number", v))
}

// formatFloat is the shortest text that reads back as v, without an exponent
// for the rates and sizes that appear in names.
func formatFloat(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
