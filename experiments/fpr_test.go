package experiments

import (
	"slices"
	"strings"
	"testing"

	"filterbench/filters"
	"filterbench/filters/registry"
)

// everyFamily is what runs by default, and a second design more.
func everyFamily() []filters.Spec {
	return append(registry.Defaults(), registry.Must("quotient:layout=flags"))
}

func planned(t *testing.T, profile string, specs []filters.Spec) Part {
	t.Helper()
	units, err := planFPR(Config{Profile: profile, Seed: 1, Specs: specs})
	if err != nil {
		t.Fatal(err)
	}
	return Part{FPR, units}
}

// All families together keep to the time that the quick profile has for rates,
// on two cores.
func TestFPRPlanKeepsToItsTime(t *testing.T) {
	const most = 40 // seconds of the profile's 115
	if s := planned(t, "quick", everyFamily()).Time(2).Seconds(); s > most {
		t.Errorf("%.1f s are planned, at most %d are there", s, most)
	}
}

// A run of one family has no cells of others but those of the texts' own filter.
func TestFPRPlanIsOfTheFamiliesAsked(t *testing.T) {
	for _, id := range planned(t, "quick", []filters.Spec{registry.Must("quotient")}).IDs() {
		if !strings.Contains(id, "filter=quotient:") && !strings.Contains(id, "filter=bloom:") {
			t.Errorf("asked for quotient, planned %s", id)
		}
	}
}

// Both profiles measure every size that a claim or a headline asks for, and no
// cell twice.
func TestFPRPlanSizes(t *testing.T) {
	for _, profile := range []string{"quick", "full"} {
		ids := planned(t, profile, everyFamily()).IDs()
		for _, want := range []string{
			"filter=bloom:index=range,step=enhanced,k=auto,kernel=auto/bits=9.617/n=1000000/keys=random/seed=1/",
			"filter=bloom:index=range,step=enhanced,k=auto,kernel=auto/bits=9.593/n=1000000/keys=random/seed=5/",
			"filter=counting:counter=4,k=auto,kernel=auto/bits=38.34/n=1000000/keys=random/", // as many counters as bloom has bits
			"filter=leveldb/bits=10/n=20/", "filter=leveldb/bits=10/n=100/", "filter=leveldb/bits=10/n=300000/",
			"filter=splitblock:kernel=auto/bits=26.4/n=1000000/",
			"filter=quotient:layout=flags,load=75,slots=any,kernel=auto/bits=13.34/",
			"filter=peer-fuse8/bits=16/n=100/",
			"filter=cuckoo:b=4,f=8,semisort=no,load=95,kernel=auto/bits=8.43/n=1000000/",
			"filter=cuckoo:b=4,f=8,semisort=yes,load=95,kernel=auto/bits=7.37/n=1000000/",
		} {
			if !slices.ContainsFunc(ids, func(id string) bool { return strings.Contains(id, want) }) {
				t.Errorf("%s: no %s", profile, want)
			}
		}
		if sorted := slices.Sorted(slices.Values(ids)); len(slices.Compact(sorted)) != len(ids) {
			t.Errorf("%s: a cell is planned twice", profile)
		}
	}
}
