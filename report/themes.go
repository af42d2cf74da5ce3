package report

import (
	"slices"
	"strconv"
	"strings"

	"filterbench/report/chart"
)

// theme is a set of filters that one chart compares.
type theme struct {
	name    string   // ends the chart's name; "" for the first chart of a kind
	subject []string // specs that the chart is about, each on one chart of a kind
	beside  []string // specs that others are about, to compare with
	minor   bool     // not the first
}

// specs are those of the chart; what it is about is drawn over the others.
func (t theme) specs() []string { return slices.Concat(t.beside, t.subject) }

// perChart is how many filters one chart shows; more cannot be told apart.
const perChart = 8

// counters name a family whose bits buy counters: at the sizes of the other
// filters it errs all the time, and at its own it would squeeze them into a
// corner. Charts over bits per key show it apart.
const counters = "counting"

// themes of many filters, by what a reader would want to see side by side. Of
// each family the first spec is shown, here and on the charts of others; further
// specs are variants, shown beside it.
var themes = []struct {
	name     string
	families []string
	beside   []string
}{
	// What the texts speak of, and whatever own filter is not named here: one of
	// each design, which is as much as can be read at once.
	{"", []string{"naive", "bloom", "blocked", "splitblock", "cuckoo", "quotient", "set", "array"}, nil},
	{"variants", []string{counters}, nil},
	{"systems", []string{"leveldb", "guava", "rocksdb"}, []string{"bloom", "blocked"}},
	// Peers beside the designs that they are implementations of.
	{"peers-bits", []string{"peer-bitsandblooms", "peer-holiman", "peer-blobloom", "peer-parquet"}, []string{"bloom", "blocked", "splitblock"}},
	{"peers-fingerprints", []string{"peer-xor8", "peer-fuse8", "peer-seiflotfy", "peer-linvon"}, []string{"bloom", "cuckoo", "quotient"}},
	{"peers", nil, []string{"bloom", "blocked"}}, // those that are not named here
}

// themesOf divides specs among charts: all on one if they are few. Families that
// must stand apart have a chart of their own, beside Bloom's filter.
func themesOf(specs []string, apart ...string) (all []theme) {
	isApart := func(spec string) bool { return slices.Contains(apart, family(spec)) }
	together := slices.DeleteFunc(slices.Clone(specs), isApart)
	first := firstOf(specs)
	if len(together) > perChart {
		for i, t := range themes {
			subject := slices.DeleteFunc(slices.Clone(together), func(s string) bool { return themeOf(s, first) != i })
			all = append(all, chunks(t.name, subject, t.beside, first)...)
		}
	} else if len(together) > 0 {
		all = []theme{{subject: together}}
	}
	for _, f := range apart {
		subject := slices.DeleteFunc(slices.Clone(specs), func(s string) bool { return family(s) != f })
		all = append(all, chunks(f, subject, []string{"bloom"}, first)...)
	}
	for i := range all {
		all[i].minor = i > 0
	}
	return all
}

// firstOf is the first spec of each family.
func firstOf(specs []string) map[string]string {
	first := map[string]string{}
	for _, s := range specs {
		if first[family(s)] == "" {
			first[family(s)] = s
		}
	}
	return first
}

// themeOf is the index in themes of what a spec is shown in.
func themeOf(spec string, first map[string]string) int {
	const own, variants = 0, 1
	if first[family(spec)] != spec {
		return variants
	}
	for i, t := range themes {
		if slices.Contains(t.families, family(spec)) {
			return i
		}
	}
	if strings.HasPrefix(spec, "peer") {
		return len(themes) - 1
	}
	return own
}

// chunks are the charts for one theme's subject. Beside them stand the families
// named, or, for variants, the first spec of their own, as far as there is room.
func chunks(name string, subject, beside []string, first map[string]string) (all []theme) {
	const room = 3 // kept free for what stands beside
	most := perChart
	if name != "" {
		most -= room
	}
	charts := (len(subject) + most - 1) / most
	for i := range charts { // of equal length, as far as it goes
		t := theme{name: name, subject: subject[i*len(subject)/charts : (i+1)*len(subject)/charts]}
		if i > 0 {
			t.name = strings.TrimPrefix(name+"-"+strconv.Itoa(i+1), "-")
		}
		show := beside
		if name == "variants" {
			show = append(distinct(t.subject, family), "bloom")
		}
		for _, f := range show {
			s := first[f]
			if s != "" && !slices.Contains(t.specs(), s) && len(t.specs()) < perChart {
				t.beside = append(t.beside, s)
			}
		}
		all = append(all, t)
	}
	return all
}

// named names a chart of a kind for its theme. The first of its kind explains
// how to read all of them.
func (t theme) named(kind string, c chart.Chart) chart.Chart {
	c.Name = kind
	if t.name != "" {
		c.Name += "-" + t.name
	}
	if c.Minor = t.minor; c.Minor {
		c.Caption = ""
	}
	return c
}
