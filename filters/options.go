package filters

import (
	"fmt"
	"strconv"
)

// Auto is the value of an option that leaves the choice to the sizing.
const Auto = "auto"

// ProbesOption is the option k of filters that set bits: "auto" for the best
// whole number of probes by the family's own model, or a number up to most.
func ProbesOption(most int) Option {
	return Option{
		Name:    "k",
		Default: Auto,
		Check: func(value string) error {
			if k, err := strconv.Atoi(value); value == Auto || err == nil && k >= 1 && k <= most && strconv.Itoa(k) == value {
				return nil
			}
			return fmt.Errorf("allowed: auto or a whole number from 1 to %d", most)
		},
		Help: fmt.Sprintf("probes a key: auto (best by the model) or 1..%d", most),
	}
}

// Int returns the value of a numeric option, or 0 for "auto".
func (s Spec) Int(name string) int {
	n, _ := strconv.Atoi(s.Option(name)) // the option's check has seen it
	return n
}
