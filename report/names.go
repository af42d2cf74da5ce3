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
	case "step", "index", "layout", "table":
		return value
	case "semisort":
		return map[string]string{"yes": "semi-sorted", "no": "plain"}[value]
	case "counter": // bits
		return value + "-bit"
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

// sentence starts with a capital, unless that would make a path of it.
func sentence(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' || strings.Contains(s, "/") {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}
