package registry

import (
	"testing"

	"filterbench/filters/filtertest"
)

// variants are specs beyond the defaults that the conformance suite runs on,
// so that every option's every value is covered.
var variants = []string{
	"bloom:index=mod,step=enhanced", "bloom:index=mod,step=odd", "bloom:index=mod,step=any", "bloom:index=mod,step=independent",
	"bloom:step=odd", "bloom:step=any", "bloom:step=independent", "bloom:k=1", "bloom:k=20",
	"counting", "counting:counter=8", "counting:k=1",
	"splitblock",
	"blocked:block=64,k=1", "blocked:block=64,k=16", "blocked:block=128,k=12",
}

// exempt names checks that a family does not pass, each with the reason.
var exempt = map[string]map[string]string{
	"naive": {"at most the rate asked for": "it keeps the text's formula and rounding, which overshoot a little"},
}

func TestConformance(t *testing.T) {
	specs := Defaults()
	for _, text := range variants {
		specs = append(specs, Must(text))
	}
	for _, spec := range specs {
		t.Run(spec.String(), func(t *testing.T) {
			filtertest.Run(t, spec, exempt[spec.Family.Name])
		})
	}
}
