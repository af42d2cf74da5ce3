package report

import (
	"slices"
	"testing"
)

// registered are specs as a run over all families has them.
var registered = []string{
	"naive", bloomSpec, blockedSpec, blocked128Spec, "splitblock", "counting:counter=4,k=auto",
	"cuckoo:b=4,f=auto,semisort=no,load=auto", "cuckoo:b=4,f=auto,semisort=yes,load=auto",
	"quotient:layout=rank,load=auto,slots=any", "quotient:layout=flags,load=auto,slots=any",
	"leveldb", "guava", "rocksdb",
	"peer-parquet", "peer-blobloom", "peer-bitsandblooms", "peer-holiman", "peer-xor8", "peer-fuse8", "peer-seiflotfy", "peer-linvon:table=packed",
	"set", "array",
}

// Every filter is the subject of one chart, none has more than can be read, and
// further charts have a filter to compare with.
func TestThemes(t *testing.T) {
	many := registered
	for _, k := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"} {
		many = append(slices.Clone(many), "bloom:index=range,step=enhanced,k="+k, "own"+k, "peer-"+k)
	}
	for name, specs := range map[string][]string{"registered": registered, "many": many, "few": {"leveldb", "peer-xor8", "bloom"}} {
		for _, apart := range [][]string{nil, {counters}} {
			subjects, names := map[string]int{}, map[string]bool{}
			for i, theme := range themesOf(specs, apart...) {
				if n := len(theme.specs()); n > perChart || n == 0 {
					t.Errorf("%s, %q: %d filters", name, theme.name, n)
				}
				if names[theme.name] || theme.minor != (i > 0) || (i == 0) != (theme.name == "") {
					t.Errorf("%s: chart %d is named %q, minor %v", name, i, theme.name, theme.minor)
				}
				names[theme.name] = true
				for _, s := range theme.subject {
					subjects[s]++
				}
				if theme.minor && theme.beside == nil && theme.name[0] > '9' {
					t.Errorf("%s, %q: nothing to compare %q with", name, theme.name, theme.subject)
				}
			}
			for _, s := range specs {
				if subjects[s] != 1 {
					t.Errorf("%s: %s is the subject of %d charts", name, s, subjects[s])
				}
			}
		}
	}
	if few := themesOf(registered[:perChart]); len(few) != 1 || len(few[0].subject) != perChart {
		t.Errorf("few filters do not share one chart: %+v", few)
	}
	if themesOf(nil) != nil || themesOf(nil, counters) != nil {
		t.Error("a chart of no filter")
	}
}

// The first chart has one filter of each design that the texts speak of.
func TestFirstTheme(t *testing.T) {
	got := themesOf(registered, counters)[0].specs()
	want := []string{"naive", bloomSpec, blockedSpec, "splitblock", "cuckoo:b=4,f=auto,semisort=no,load=auto",
		"quotient:layout=rank,load=auto,slots=any", "set", "array"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
