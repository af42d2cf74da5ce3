package filters

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Family describes one kind of filter: what it is, how users name it, and how
// it is sized. The table of all of them is in package registry.
type Family struct {
	Name    string
	Summary string // one line
	Source  string // where the algorithm comes from: paper and section
	Options []Option
	// KeyedOnly says that the family hashes the key's bytes itself and has no
	// hashed form.
	KeyedOnly bool
	// Static says that the filter is built once, by one AddKeys or AddHashes.
	Static bool
	// Exact says that the structure never errs; the bits per key then follow
	// from the keys and ForBits and ForFPR ignore their last argument.
	Exact bool
	// Sampled says that two filters of the same keys may differ, because the
	// family draws at random and cannot be seeded. Counts on it are samples: they
	// need not repeat.
	Sampled bool
	// Hash is the function whose hashes a Hashed filter of this family takes.
	Hash Hash
	// NanosPerKey is roughly what a lookup costs inside the cache. Plans use
	// it to stay within their time; nothing that is reported does.
	NanosPerKey float64

	// ForBits sizes a filter for n keys at the given bits per key, ForFPR for
	// a false-positive rate of at most p (naive: by its text's formula). n >=
	// 1, 0 < bits <= MaxBitsPerKey and 0 < p < 1 hold when they are called;
	// they return an error where the size is not feasible. Neither allocates
	// the filter.
	ForBits func(s Spec, n uint64, bits float64) (Design, error)
	ForFPR  func(s Spec, n uint64, p float64) (Design, error)
}

// Option is a setting of a family.
type Option struct {
	Name    string
	Default string
	Values  []string // the allowed values; nil where Check decides
	Check   func(value string) error
	Help    string // what is allowed and what it does, one line
}

func (o Option) check(value string) error {
	switch {
	case o.Values != nil && !slices.Contains(o.Values, value):
		return fmt.Errorf("allowed: %s", strings.Join(o.Values, ", "))
	case o.Check != nil:
		return o.Check(value)
	}
	return nil
}

// Spec is a family with a value for each of its options. The zero Spec names
// nothing.
type Spec struct {
	Family *Family
	values []string // one for each option, in the family's order
}

// String is the canonical text of the spec: the family and every option,
// defaults included, in the family's order. ParseSpec reads it back.
func (s Spec) String() string {
	if len(s.values) == 0 {
		return s.Family.Name
	}
	parts := make([]string, len(s.values))
	for i, o := range s.Family.Options {
		parts[i] = o.Name + "=" + s.values[i]
	}
	return s.Family.Name + ":" + strings.Join(parts, ",")
}

// Option returns the value of the named option. It panics if the family has
// no such option, which is a fault of the family's code.
func (s Spec) Option(name string) string {
	for i, o := range s.Family.Options {
		if o.Name == name {
			return s.values[i]
		}
	}
	panic("filters: family " + s.Family.Name + " has no option " + name)
}

// ParseSpec reads a spec such as "blocked", "blocked:block=64,k=6" or
// "bloom:index=mod,step=any". Errors list what exists.
func ParseSpec(families []*Family, text string) (Spec, error) {
	name, opts, hasOpts := strings.Cut(strings.TrimSpace(text), ":")
	i := slices.IndexFunc(families, func(f *Family) bool { return f.Name == name })
	if i < 0 {
		names := make([]string, len(families))
		for i, f := range families {
			names[i] = f.Name
		}
		return Spec{}, fmt.Errorf("unknown filter %q; there are: %s", name, strings.Join(names, ", "))
	}
	s := Spec{Family: families[i], values: make([]string, len(families[i].Options))}
	for i, o := range s.Family.Options {
		s.values[i] = o.Default
	}
	if !hasOpts {
		return s, nil
	}
	seen := map[string]bool{}
	for _, opt := range strings.Split(opts, ",") {
		key, value, ok := strings.Cut(opt, "=")
		if !ok {
			return Spec{}, fmt.Errorf("filter %q: option %q is not of the form name=value; %s", text, opt, s.Family.optionHelp())
		}
		i := slices.IndexFunc(s.Family.Options, func(o Option) bool { return o.Name == key })
		if i < 0 {
			return Spec{}, fmt.Errorf("filter %q: unknown option %q; %s", text, key, s.Family.optionHelp())
		}
		if seen[key] {
			return Spec{}, fmt.Errorf("filter %q: option %q is given twice", text, key)
		}
		seen[key] = true
		if err := s.Family.Options[i].check(value); err != nil {
			return Spec{}, fmt.Errorf("filter %q: option %s=%q: %w", text, key, value, err)
		}
		s.values[i] = value
	}
	return s, nil
}

func (f *Family) optionHelp() string {
	if len(f.Options) == 0 {
		return f.Name + " has no options"
	}
	help := make([]string, len(f.Options))
	for i, o := range f.Options {
		help[i] = o.Name
		if o.Values != nil {
			help[i] += "=" + strings.Join(o.Values, "|")
		}
	}
	return f.Name + " has: " + strings.Join(help, ", ")
}

// MaxBitsPerKey is the most bits per key that a filter can be asked for. More
// is nearly always a total given by mistake.
const MaxBitsPerKey = 64

// CheckBits says why bits is not a usable number of bits per key, or nil.
func CheckBits(bits float64) error {
	if !(bits > 0 && bits <= MaxBitsPerKey) { // also catches NaN
		return fmt.Errorf("bits per key is %v; it must be above 0 and at most %d (it is per key, not a total)", bits, MaxBitsPerKey)
	}
	return nil
}

// MinFPR is the smallest false-positive rate that a filter can be asked for:
// with 64-bit hashes nothing below it can be told from an exact set.
const MinFPR = 1e-15

// CheckFPR says why p is not a usable false-positive rate, or nil.
func CheckFPR(p float64) error {
	if !(p > 0 && p < 1) {
		return fmt.Errorf("false-positive rate is %v; it must be between 0 and 1, both excluded (0.01 is 1 %%)", p)
	}
	if p < MinFPR {
		return fmt.Errorf("false-positive rate is %v; the least that a filter over 64-bit hashes can be asked for is %v", p, MinFPR)
	}
	return nil
}

// MaxKeys is the largest number of keys a filter can be sized for.
const MaxKeys = 1 << 40

// CheckKeys says why n is not a usable number of keys, or nil.
func CheckKeys(n uint64) error {
	if n < 1 || n > MaxKeys {
		return fmt.Errorf("number of keys is %d; it must be from 1 to 2^40", n)
	}
	return nil
}

// ForBits sizes the filter for n keys at the given bits per key.
func (s Spec) ForBits(n uint64, bits float64) (Design, error) {
	if err := cmpErr(CheckKeys(n), CheckBits(bits)); err != nil {
		return Design{}, fmt.Errorf("%s: %w", s, err)
	}
	d, err := s.Family.ForBits(s, n, bits)
	d.AskedBits = bits
	return s.finish(d, err)
}

// ForFPR sizes the filter for n keys and the false-positive rate p.
func (s Spec) ForFPR(n uint64, p float64) (Design, error) {
	if err := cmpErr(CheckKeys(n), CheckFPR(p)); err != nil {
		return Design{}, fmt.Errorf("%s: %w", s, err)
	}
	d, err := s.Family.ForFPR(s, n, p)
	d.AskedFPR = p
	return s.finish(d, err)
}

func (s Spec) finish(d Design, err error) (Design, error) {
	if err != nil {
		return Design{}, fmt.Errorf("%s: %w", s, err)
	}
	d.Spec = s
	return d, nil
}

func cmpErr(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// RoundedBits is bits*n rounded to a whole number, the product rounded
// explicitly first: some CPUs would fuse it with what follows, and the number
// of bits must be the same on all of them.
func RoundedBits(n uint64, bits float64) uint64 {
	return uint64(math.Round(float64(float64(n) * bits)))
}
