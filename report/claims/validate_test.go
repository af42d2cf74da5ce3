package claims

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"filterbench/results"
)

func rowOf(t *testing.T, rows []Row, id string) Row {
	t.Helper()
	i := slices.IndexFunc(rows, func(r Row) bool { return r.ID == id })
	if i < 0 {
		t.Fatalf("no row %s", id)
	}
	return rows[i]
}

func TestValidateExit(t *testing.T) {
	for name, x := range map[string]struct {
		doctor  func(w *world)
		want    int
		differs string // a row that must differ
	}{
		"all as established":          {func(*world) {}, Agrees, ""},
		"9.6 bits are not enough":     {func(w *world) { w.rate(bloomAt("9.593"), 0.012) }, Differs, "A05"},
		"9.6 bits are more than that": {func(w *world) { w.rate(bloomAt("9.585"), 0.008) }, Differs, "C06a"},
		"only fpr edited":             {func(w *world) { w.set(bloomAt("9.585"), "fpr", 0.02) }, Differs, ""},
		"a golden count":              {func(w *world) { w.set(program("0.001"), "bits-set", 72105) }, Differs, "golden"},
		"a golden hash":               {func(w *world) { w.each(program("0.05"), func(r *results.Record) { setAxis(r, "sha256", "00") }) }, Differs, "golden"},
		"a claim on the program":      {func(w *world) { w.set(lsmAll, "probes", 10000) }, Differs, "A19"},
		"9.6 not measured":            {func(w *world) { w.drop(bloomAt("9.585")) }, Unmeasured, ""},
		"textbook not measured":       {func(w *world) { w.drop(cell("Textbook")) }, Unmeasured, ""},
		"wrong outweighs missing":     {func(w *world) { w.drop(cell("Textbook")); w.rate(bloomAt("9.585"), 0.02) }, Differs, "A05"},
		"nothing measured":            {func(w *world) { w.Files = nil }, Unmeasured, ""},
		"another claim differs":       {func(w *world) { w.rate(bloomAt("15"), 0.0003) }, Differs, "A11"},
		"another is not measured":     {func(w *world) { w.drop(bloomAt("15")) }, Agrees, ""},
		"times never fail a run":      {func(w *world) { w.set(slowLookup.with("size", largeSize), "ns/op", 7) }, Agrees, "B21"},
	} {
		w := newWorld()
		x.doctor(w)
		rows, exit := Validate(&w.Set)
		if exit != x.want {
			t.Errorf("%s: exit %d, want %d", name, exit, x.want)
		}
		if x.differs != "" && !rowOf(t, rows, x.differs).Differs {
			t.Errorf("%s: %s does not differ", name, x.differs)
		}
		if x.want == Agrees && x.differs == "" && slices.ContainsFunc(rows, func(r Row) bool { return r.Differs }) {
			t.Errorf("%s: a row differs", name)
		}
	}
}

func TestHeadlinesAndGoldenClaims(t *testing.T) {
	var headlines, golden []string
	for _, c := range All() {
		if c.Headline {
			headlines = append(headlines, c.ID)
		}
		if c.Golden {
			golden = append(golden, c.ID)
			for _, need := range c.Needs {
				if need.Name != "Textbook" {
					t.Errorf("%s is golden and needs %s", c.ID, need)
				}
			}
		}
		if c.Timing && (c.Headline || c.Golden) {
			t.Errorf("%s: a time must not set the exit status", c.ID)
		}
		timed := slices.ContainsFunc(c.Needs, func(c Cell) bool { return c.Name == "Lookup" || c.Name == "Limit" })
		if timed && !c.Timing {
			t.Errorf("%s reads times and is not marked", c.ID)
		}
	}
	if want := []string{"A05", "B07a", "C06a", "C08"}; !slices.Equal(headlines, want) {
		t.Errorf("headlines %v, want %v", headlines, want)
	}
	if len(golden) == 0 {
		t.Error("no golden claim")
	}
}

func TestGoldenMismatchNamesRecordUnitAndValues(t *testing.T) {
	w := newWorld()
	w.set(lsmAll.with("table", "3"), "reads", 108)
	w.each(program("0.01"), func(r *results.Record) { setAxis(r, "first", "70+296+304+366+395+597+604+722") })
	w.drop(positionsGhost0)
	rows, _ := Validate(&w.Set)
	var all []string
	for _, r := range rows {
		if r.ID == goldenTitle {
			all = append(all, r.Status.String()+" "+r.Why)
		}
	}
	got := strings.Join(all, "\n")
	for _, want := range []string{
		"WRONG 2 differ, 7 were not measured",
		"WRONG Textbook/part=lsm/table=3: reads should be 107, not 108",
		"WRONG Textbook/n=10000/p=0.01/part=filter: first should be 70+296+304+366+395+597+604+721, not 70+296+304+366+395+597+604+722",
		"NOT MEASURED Textbook/key=ghost0/part=positions: pos-6 should be 8255, and was not measured",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no line %q in\n%s", want, got)
		}
	}
}

// Every golden number is compared: a change of any one is seen.
func TestEveryGoldenNumberCounts(t *testing.T) {
	if n := len(CheckGolden(&newWorld().Set)); n != 0 {
		t.Fatalf("%d mismatches in right results", n)
	}
	for _, g := range GoldenNumbers() {
		w := newWorld()
		w.each(g.Cell, func(r *results.Record) {
			if g.Axis {
				setAxis(r, g.Unit, r.Axis(g.Unit)+"0")
				return
			}
			v, _ := r.Value(g.Unit)
			setValue(r, g.Unit, v+1)
		})
		got := CheckGolden(&w.Set)
		if len(got) != 1 || got[0].Unit != g.Unit || got[0].Want != g.Want || got[0].Got == "" {
			t.Errorf("%s %s: mismatches %v", g.Cell, g.Unit, got)
		}
	}
	// The lists of first false positives may go on.
	w := newWorld()
	w.each(program("0.01"), func(r *results.Record) { setAxis(r, "first", r.Axis("first")+"+733") })
	if n := len(CheckGolden(&w.Set)); n != 0 {
		t.Errorf("a longer list of first false positives: %d mismatches", n)
	}
}

func TestCellMatch(t *testing.T) {
	c := cell("FPR", "filter", "bloom:step=enhanced,k=auto", "bits", "10", "n", "1000000", "m", "*")
	for name, want := range map[string]bool{
		"FPR/filter=bloom:index=range,step=enhanced,k=auto/bits=10/n=1000000/keys=random/seed=3/m=9999/k=7": true,
		"FPR/filter=bloom:k=auto,step=enhanced,new=yes/bits=10.0/n=1e6/m=1":                                 true,
		"FPR/filter=bloom:index=range,step=enhanced,k=7/bits=10/n=1000000/m=1":                              false,
		"FPR/filter=bloomier:step=enhanced,k=auto/bits=10/n=1000000/m=1":                                    false,
		"FPR/filter=bloom/bits=10/n=1000000/m=1":                                                            false,
		"FPR/filter=bloom:step=enhanced,k=auto/bits=10.5/n=1000000/m=1":                                     false,
		"FPR/filter=bloom:step=enhanced,k=auto/bits=10/n=1000000":                                           false,
		"Memory/filter=bloom:step=enhanced,k=auto/bits=10/n=1000000/m=1":                                    false,
		"": false,
	} {
		if got := c.MatchName(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if got := c.String(); got != "FPR/bits=10/filter=bloom:step=enhanced,k=auto/m=*/n=1000000" {
		t.Errorf("String: %s", got)
	}
}

func TestCellsAreThoseOfTheClaims(t *testing.T) {
	cells := Cells()
	for _, c := range implemented() {
		for _, need := range c.Needs {
			n := 0
			for _, listed := range cells {
				if listed.String() == need.String() {
					n++
				}
			}
			if n != 1 {
				t.Errorf("%s: %s is listed %d times", c.ID, need, n)
			}
		}
	}
}

func TestExplain(t *testing.T) {
	for id, wants := range map[string][]string{
		"A11":   {"A11 (000_189ad350ee1d9ed4.txt): 15 bits per key give 0.03%.", "0.07440%, by (1-e^(-kn/m))^k, made exact after Bose et al. 2008, at k = 10", "Established beforehand: WRONG"},
		" c06 ": {"C06a", "C06b", "at most 1%"},
		"B10":   {"No experiment decides it."},
		"P18":   {"It needs the experiment fpr over the ribbon family."},
		"B21":   {"never fails a run"},
	} {
		got, err := Explain(id)
		if err != nil {
			t.Errorf("%s: %v", id, err)
		}
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in %s", id, want, got)
			}
		}
	}
	for _, id := range []string{"", "A29", "9.6", "A"} {
		if got, err := Explain(id); err == nil || !strings.Contains(err.Error(), "A01 to A28") {
			t.Errorf("%q: %q, %v", id, got, err)
		}
	}
}

func TestWriteText(t *testing.T) {
	w := newWorld()
	w.rate(bloomAt("9.593"), 0.012)
	w.drop(fiveMillion)
	rows, _ := Validate(&w.Set)
	var b bytes.Buffer
	if err := WriteText(&b, rows); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{
		"WRONG, not HOLDS",
		"B06 C11 C33: no record FPR/filter=bloom:index=range,step=enhanced,k=auto/k=*/keys=url/m=*/n=5000000",
		"A10     HOLDS                  0.819% [0.807, 0.832]",
		"118 claims: ",
		"3 differ from what was established",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	// Columns line up: the claims of all rows with a verdict begin at one place.
	at := strings.Index(strings.SplitN(text, "\n", 2)[0], "Claim")
	for _, r := range rows {
		if r.Status != NotMeasured && !strings.Contains(text, "\n"+r.ID) {
			t.Errorf("%s is missing", r.ID)
		}
		if i := strings.Index(text, r.Claim+"\n"); r.ID == "A06" && i-strings.LastIndex(text[:i], "\n")-1 != at {
			t.Errorf("%s does not begin below its heading", r.ID)
		}
	}
}

func TestWriteMarkdown(t *testing.T) {
	var b bytes.Buffer
	if err := WriteMarkdown(&b, []Row{{ID: "A1", Claim: "a|b*\nc", Status: Wrong, Want: Holds, Differs: true, Why: "<x>"}}); err != nil {
		t.Fatal(err)
	}
	want := "| ID | Verdict | Measured [95 %] | Truth | Claim | Why |\n| --- | --- | --- | --- | --- | --- |\n" +
		"| A1 | WRONG, not HOLDS |  |  | a\\|b\\* c | &lt;x> |\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestMeasured(t *testing.T) {
	for want, f := range map[string]Finding{
		"1.004% [0.985, 1.024]":         {Holds, Quantity{0.01004, Rate}, Interval{0.00985, 0.01024}, ""},
		"9.594 bits/key [9.550, 9.638]": {Holds, Quantity{9.594, Bits}, Interval{9.55, 9.638}, ""},
		"0.000% [0.000, 0.040]":         {Wrong, Quantity{0, Rate}, Interval{0, 0.0004}, ""},
		"98,996":                        {Wrong, Quantity{98996, Count}, Interval{}, ""},
		"0":                             {Holds, Quantity{0, Count}, Interval{}, ""},
		"8.986 MB (8.570 MiB)":          {Holds, Quantity{8985993, Bytes}, Interval{}, ""},
		"16.69x":                        {Wrong, Quantity{16.69, Factor}, Interval{}, ""},
		"":                              {NotMeasured, Quantity{1, Count}, Interval{}, ""},
	} {
		if got := f.Measured(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestAbout(t *testing.T) {
	for _, x := range []struct {
		i       Interval
		s       Status
		decided bool
	}{
		{Interval{0.99, 1.01}, Holds, true},
		{Interval{1.04, 1.06}, Holds, true},
		{Interval{1.058, 1.06}, Wrong, true},
		{Interval{1.051, 1.07}, Holds, false}, // beyond the line, but not surely
		{Interval{0.90, 0.92}, Wrong, true},
		{Interval{0.901, 1.10}, Holds, true},
		{Interval{0.89, 1.10}, Holds, false},
		{Interval{4, 5}, Wrong, true},
		{Interval{0, 100}, Holds, false},
	} {
		if s, decided := x.i.about((x.i.Lo+x.i.Hi)/2, 1); s != x.s || decided != x.decided {
			t.Errorf("%v: %v, decided %v", x.i, s, decided)
		}
	}
}

func TestRoundsTo(t *testing.T) {
	for _, x := range []struct {
		v    float64
		text string
		want bool
	}{
		{9.585, "9.6", true}, {9.5499, "9.6", false}, {9.6499, "9.6", true}, {9.66, "9.6", false},
		{1.1426, "1.14", true}, {1.198, "1.14", false}, {1.198, "1.2", true}, {17.2, "17", true},
	} {
		if got := roundsTo(x.v, x.text); got != x.want {
			t.Errorf("%v to %s: %v", x.v, x.text, got)
		}
	}
}

// The interval of a pooled rate covers how filters differ: from theory where
// they are few, as seen where they are many.
func TestIntervalCoversFilters(t *testing.T) {
	alike := func(filters float64, sd, square float64) *results.Set {
		r := fpr("filter=x n=1000 keys=random seed=1 m=9585 k=7", 0.01, 1e6, filters, 9.6)
		setValue(&r, "model-sd", sd)
		setValue(&r, "fp-sq", square)
		w := &world{}
		w.add("fpr", r)
		return &w.Set
	}
	width := func(s *results.Set) float64 {
		t.Helper()
		r, err := pool(s, cell("FPR"))
		if err != nil {
			t.Fatal(err)
		}
		i := r.interval()
		return (i.Hi - i.Lo) / 2
	}
	// One filter, its queries alone: 1.96 sqrt(.01 .99 / 10^6) = 1.950e-4.
	const binomial = 1.950e-4
	for _, x := range []struct {
		name string
		got  float64
		want float64
	}{
		{"one filter", width(alike(1, 0, 1e8)), binomial},
		// sqrt(9.9e-9 + 4e-8/4) = 1.411e-4.
		{"four filters that differ by theory", width(alike(4, 2e-4, 2.5e7)), 1.96 * 1.411e-4},
		// Of 100 filters half have 80 and half 120 of their 10,000 wrong:
		// sd 20.1/10^4 between them, 2.01e-4 of their mean, t(99) = 1.984.
		{"100 filters as seen", width(alike(100, 0, 50*80*80+50*120*120)), 1.984 * 2.01e-4},
	} {
		if x.got < x.want*0.99 || x.got > x.want*1.01 {
			t.Errorf("%s: half-width %.4g, want %.4g", x.name, x.got, x.want)
		}
	}
}
