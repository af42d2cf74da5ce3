package claims

import (
	"fmt"
	"strconv"
	"strings"

	"filterbench/results"
)

// The golden numbers: what the texts' own program gives, computed beforehand
// by that program and by an independent one. They are typed in, since nothing
// in this project may decide what they are.

// GoldenNumber is a value that must come out bit for bit.
type GoldenNumber struct {
	Cell Cell
	Unit string // or the axis, where Axis is set
	Axis bool
	Want string
}

// Mismatch is a golden number that did not come out; Got is empty where it was
// not measured.
type Mismatch struct {
	GoldenNumber
	Got string
}

// String names the record, the unit, and both values.
func (m Mismatch) String() string {
	if m.Got == "" {
		return fmt.Sprintf("%s: %s should be %s, and was not measured", m.Cell, m.Unit, m.Want)
	}
	return fmt.Sprintf("%s: %s should be %s, not %s", m.Cell, m.Unit, m.Want, m.Got)
}

// inFilter reports whether the number is one of the filter at 1 %, bits or
// answers.
func (g GoldenNumber) inFilter() bool {
	return g.Cell.Axes["part"] == "positions" || g.Cell.Axes["p"] == "0.01"
}

// GoldenNumbers lists them. The list is shared and must not be changed.
func GoldenNumbers() []GoldenNumber { return goldenNumbers }

// CheckGolden compares every golden number and returns those that did not come
// out.
func CheckGolden(s *results.Set) []Mismatch {
	var out []Mismatch
	for _, g := range goldenNumbers {
		records, err := find(s, g.Cell)
		if err != nil {
			records = nil
		}
		if len(records) == 0 {
			out = append(out, Mismatch{g, ""})
		}
		for _, r := range records {
			if got := g.read(r); !g.equal(got) {
				out = append(out, Mismatch{g, got})
				break
			}
		}
	}
	return out
}

// read is the value in a record as text, or "".
func (g GoldenNumber) read(r results.Record) string {
	if g.Axis {
		return r.Axis(g.Unit)
	}
	v, ok := r.Value(g.Unit)
	if !ok {
		return ""
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// equal compares; a list may go on behind the golden one.
func (g GoldenNumber) equal(got string) bool {
	return got == g.Want || g.Axis && g.Unit == "first" && strings.HasPrefix(got, g.Want+"+")
}

var goldenNumbers = func() (all []GoldenNumber) {
	values := func(c Cell, pairs ...string) {
		for i := 0; i < len(pairs); i += 2 {
			all = append(all, GoldenNumber{Cell: c, Unit: pairs[i], Want: pairs[i+1]})
		}
	}
	axes := func(c Cell, pairs ...string) {
		for i := 0; i < len(pairs); i += 2 {
			all = append(all, GoldenNumber{Cell: c, Unit: pairs[i], Axis: true, Want: pairs[i+1]})
		}
	}
	values(program("0.05"), "m", "62353", "k", "4", "bits-set", "29609",
		"fp-10000", "475", "fp-1000000", "50653", "fn", "0", "md5-calls", "17805")
	axes(program("0.05"), "sha256", "2913307224263aa16d1dc9758ac6a88e5d20ec8ae05b516bd07318cbffe44b30",
		"first", "0+1+6+33+34+73+76+82")
	values(program("0.01"), "m", "95851", "k", "7", "bits-set", "49690",
		"fp-10000", "114", "fp-1000000", "10007", "fn", "0", "md5-calls", "20801")
	axes(program("0.01"), "sha256", "4cbbc964b71656f71d99a3ea4d1105ba1f3c06d82005df3991c93508ad8e5546",
		"first", "70+296+304+366+395+597+604+721")
	values(program("0.001"), "m", "143776", "k", "10", "bits-set", "72104",
		"fp-10000", "4", "fp-1000000", "1016", "fn", "0", "md5-calls", "20174")
	axes(program("0.001"), "sha256", "df05a61a369b1e7bd376ee81a77aed58e4e390cb828aff752edb549bc5446113",
		"first", "5515+7026+8565+9102")

	values(positionsKey0, "pos-0", "86596", "pos-1", "63495", "pos-2", "13170", "pos-3", "57413",
		"pos-4", "87040", "pos-5", "53217", "pos-6", "44839")
	values(positionsGhost0, "pos-0", "77441", "pos-1", "31826", "pos-2", "10379", "pos-3", "44193",
		"pos-4", "56631", "pos-5", "95579", "pos-6", "8255")

	for i, reads := range []string{"97", "110", "111", "107", "103", "85", "99", "103", "85", "104"} {
		values(lsmAll.with("table", strconv.Itoa(i)), "probes", "10000", "reads", reads)
	}
	values(lsmAll, "queries", "10000", "probes", "100000", "reads", "1004", "queries-with-reads", "967")
	values(lsmPresent, "maybe", "10904", "true", "10000", "false", "904")
	return all
}()
