package results

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/perf/benchunit"
)

// x/perf rescales ns and MB in a unit's numerator. Only times may be touched, and
// no two units may become one.
func TestUnitsSurviveTidying(t *testing.T) {
	rescaled := map[string]string{"ns/op": "sec/op", "cpu-ns/op": "cpu-sec/op", "total-ns/op": "total-sec/op",
		"p50-ns": "p50-sec", "p95-ns": "p95-sec", "p99-ns": "p99-sec", "p99.9-ns": "p99.9-sec"}
	from := map[string]string{}
	for _, u := range Units() {
		want, factor := u.Name, 1.0
		if r, ok := rescaled[u.Name]; ok {
			want, factor = r, 1e-9
		}
		v, tidied := benchunit.Tidy(1, u.Name)
		if tidied != want || math.Abs(v-factor) > 1e-24 {
			t.Errorf("x/perf makes 1 %s into %v %s, want %v %s", u.Name, v, tidied, factor, want)
		}
		if other, ok := from[tidied]; ok {
			t.Errorf("x/perf makes %s of both %s and %s", tidied, other, u.Name)
		}
		from[tidied] = u.Name
	}
}

func TestUnitsTable(t *testing.T) {
	schema, err := os.ReadFile("SCHEMA.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, u := range Units() {
		if seen[u.Name] {
			t.Errorf("%s is listed twice", u.Name)
		}
		seen[u.Name] = true
		if u.Better != "" && u.Better != "lower" && u.Better != "higher" {
			t.Errorf("%s: better=%s", u.Name, u.Better)
		}
		if u.Help == "" || !isPlain(u.Name) {
			t.Errorf("%q: a unit is one word and has a help line (%q)", u.Name, u.Help)
		}
		if !strings.Contains(string(schema), "`"+u.Name+"`") {
			t.Errorf("SCHEMA.md does not explain %s", u.Name)
		}
	}
}

func TestUnitsOf(t *testing.T) {
	records := []Record{
		{Name: "A", Values: []Value{{"pos-11", 1}, {"ns/op", 1}, {"pos-2", 1}}},
		{Name: "A", Values: []Value{{"fp", 1}, {"ns/op", 2}}},
	}
	units, err := UnitsOf(records)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	exact := map[string]bool{}
	for _, u := range units {
		names = append(names, u.Name)
		exact[u.Name] = u.Exact
	}
	if diff := cmp.Diff([]string{"fp", "ns/op", "pos-11", "pos-2"}, names); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]bool{"fp": true, "ns/op": false, "pos-11": true, "pos-2": true}, exact); diff != "" {
		t.Error(diff)
	}
	for _, unit := range []string{"furlongs", "pos-", "pos-x", "pos--1", "pos-1234", ""} {
		_, err := UnitsOf([]Record{{Name: "A", Values: []Value{{unit, 1}}}})
		if err == nil || !strings.Contains(err.Error(), "SCHEMA.md lists") {
			t.Errorf("unit %q: error %v does not say where the known units are", unit, err)
		}
	}
}
