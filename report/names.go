package report

import (
	"slices"
	"strconv"
	"strings"
)

// family is the part of a spec before its options.
func family(spec string) string {
	f, _, _ := strings.Cut(spec, ":")
	return f
}

// options are the options of a spec in its order, "k=auto" and such.
func options(spec string) []string {
	_, opts, ok := strings.Cut(spec, ":")
	if !ok {
		return nil
	}
	return strings.Split(opts, ",")
}

// namer shortens specs to names for charts and tables: the family, and those
// options in which the specs of that family differ.
type namer map[string]string

func newNamer(specs []string) namer {
	names := namer{}
	for _, spec := range specs {
		var same [][]string // options of the others of the family
		for _, other := range specs {
			if other != spec && family(other) == family(spec) {
				same = append(same, options(other))
			}
		}
		name := family(spec)
		for _, o := range options(spec) {
			differs := func(other []string) bool { return !slices.Contains(other, o) }
			if slices.ContainsFunc(same, differs) {
				name += " " + shortOption(o)
			}
		}
		names[spec] = name
	}
	return names
}

// shortOption drops the key where the value speaks for itself.
func shortOption(o string) string {
	key, value, _ := strings.Cut(o, "=")
	switch key {
	case "block": // bytes; the field counts a block's bits
		if n, err := strconv.Atoi(value); err == nil {
			return strconv.Itoa(8*n) + "-bit"
		}
	case "step", "index":
		return value
	}
	return o
}

// name is the short name of a spec.
func (n namer) name(spec string) string {
	if s, ok := n[spec]; ok {
		return s
	}
	return spec
}

// distinct lists the values of f in order of first appearance.
func distinct[T any, K comparable](items []T, f func(T) K) (out []K) {
	seen := map[K]bool{}
	for _, it := range items {
		if k := f(it); !seen[k] {
			seen[k] = true
			out = append(out, k)
		}
	}
	return out
}

// perChart is how many filters one chart shows; more cannot be told apart.
const perChart = 8

// pages divides the filters among charts: all on one if they are few;
// otherwise first one spec of every family, then the variants, then peers.
func pages(specs []string) [][]string {
	if len(specs) == 0 {
		return nil
	}
	if len(specs) <= perChart {
		return [][]string{specs}
	}
	var first, variants, peers []string
	seen := map[string]bool{}
	for _, s := range specs {
		switch {
		case strings.HasPrefix(s, "peer"):
			peers = append(peers, s)
		case seen[family(s)]:
			variants = append(variants, s)
		default:
			first = append(first, s)
		}
		seen[family(s)] = true
	}
	var out [][]string
	for _, group := range [][]string{first, variants, peers} {
		charts := (len(group) + perChart - 1) / perChart
		for i := range charts { // of equal length, as far as it goes
			out = append(out, group[i*len(group)/charts:(i+1)*len(group)/charts])
		}
	}
	return out
}

// sentence starts with a capital, unless that would make a path of it.
func sentence(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' || strings.Contains(s, "/") {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}
