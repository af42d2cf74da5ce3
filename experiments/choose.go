package experiments

import (
	"slices"

	"filterbench/filters"
)

// leading picks up to most of the specs: first the first spec of each of the
// named families, in their order, which claims are about, and then others in the
// order in which the user named them.
func leading(specs []filters.Spec, most int, families ...string) []filters.Spec {
	var picked []filters.Spec
	add := func(s filters.Spec) {
		if len(picked) < most && !slices.ContainsFunc(picked, func(p filters.Spec) bool { return p.String() == s.String() }) {
			picked = append(picked, s)
		}
	}
	for _, name := range families {
		if i := slices.IndexFunc(specs, func(s filters.Spec) bool { return s.Family.Name == name }); i >= 0 {
			add(specs[i])
		}
	}
	for _, s := range specs {
		add(s)
	}
	return picked
}

// without leaves out the specs of which drop is true.
func without(specs []filters.Spec, drop func(filters.Spec) bool) []filters.Spec {
	return slices.DeleteFunc(slices.Clone(specs), drop)
}
