package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"filterbench/filters"
)

// parseFloat is strconv's, for which a number too large is infinite and no error.
func parseFloat(text string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if errors.Is(err, strconv.ErrRange) {
		err = nil
	}
	return v, err
}

// seedFlag is any number of 64 bits.
type seedFlag uint64

func (s *seedFlag) String() string { return strconv.FormatUint(uint64(*s), 10) }
func (s *seedFlag) Type() string   { return "S" }

func (s *seedFlag) Set(text string) error {
	v, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return errors.New("not a seed; allowed: whole numbers from 0 to 2^64-1 = 18446744073709551615")
	}
	*s = seedFlag(v)
	return nil
}

// countFlag is a number of keys: 5000000, 5_000_000, 5,000,000 or 5e6.
type countFlag uint64

func (c *countFlag) String() string { return strconv.FormatUint(uint64(*c), 10) }
func (c *countFlag) Type() string   { return "N" }

func (c *countFlag) Set(text string) error {
	v, err := parseFloat(strings.NewReplacer("_", "", ",", "").Replace(text))
	if err != nil || v != math.Trunc(v) {
		return errors.New("not a whole number; allowed: 1 to 2^40 keys, such as 1000000 or 1e6")
	}
	if v < 1 || v > filters.MaxKeys {
		return errors.New("out of range; allowed: 1 to 2^40 keys")
	}
	*c = countFlag(v)
	return nil
}

// rateFlag is a false-positive rate: 0.01, 1e-2 or 1%.
type rateFlag float64

func (r *rateFlag) String() string { return strconv.FormatFloat(float64(*r), 'g', -1, 64) }
func (r *rateFlag) Type() string   { return "P" }

func (r *rateFlag) Set(text string) error {
	v, err := parseRate(text)
	*r = rateFlag(v)
	return err
}

func parseRate(text string) (float64, error) {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := parseFloat(number)
	if err != nil {
		return 0, fmt.Errorf("not a number; allowed: above 0 and below 1, such as 0.01 or 1%%")
	}
	if percent {
		v /= 100
	}
	return v, filters.CheckFPR(v)
}

// thresholdFlag is a relative change: 0.05 or 5%.
type thresholdFlag float64

func (t *thresholdFlag) String() string { return strconv.FormatFloat(float64(*t), 'g', -1, 64) }
func (t *thresholdFlag) Type() string   { return "P" }

func (t *thresholdFlag) Set(text string) error {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := parseFloat(number)
	if percent {
		v /= 100
	}
	if err != nil || !(v > 0 && v < 1) {
		return errors.New("not a threshold; allowed: above 0 and below 1, such as 0.05 or 5%")
	}
	*t = thresholdFlag(v)
	return nil
}

// ratesFlag is a list of rates, separated by commas.
type ratesFlag []float64

func (r *ratesFlag) String() string {
	parts := make([]string, len(*r))
	for i, p := range *r {
		parts[i] = strconv.FormatFloat(p, 'g', -1, 64)
	}
	return strings.Join(parts, ",")
}
func (r *ratesFlag) Type() string { return "P,..." }

func (r *ratesFlag) Set(text string) error {
	*r = nil
	for _, one := range strings.Split(text, ",") {
		v, err := parseRate(one)
		if err != nil {
			return err
		}
		*r = append(*r, v)
	}
	return nil
}

// bitsFlag is a number of bits per key.
type bitsFlag float64

func (b *bitsFlag) String() string { return strconv.FormatFloat(float64(*b), 'g', -1, 64) }
func (b *bitsFlag) Type() string   { return "B" }

func (b *bitsFlag) Set(text string) error {
	v, err := parseFloat(text)
	if err != nil {
		return fmt.Errorf("not a number; allowed: above 0 and at most %d bits per key", filters.MaxBitsPerKey)
	}
	*b = bitsFlag(v)
	return filters.CheckBits(v)
}

// choiceFlag is one of a few words.
type choiceFlag struct {
	value   string
	allowed []string
}

func (c *choiceFlag) String() string { return c.value }
func (c *choiceFlag) Type() string   { return strings.Join(c.allowed, "|") }

func (c *choiceFlag) Set(text string) error {
	for _, a := range c.allowed {
		if text == a {
			c.value = text
			return nil
		}
	}
	return fmt.Errorf("allowed: %s", strings.Join(c.allowed, ", "))
}

// costFlag is the time of an access, in nanoseconds: 100us, 5ms.
type costFlag float64

func (c *costFlag) String() string {
	if *c == 0 {
		return ""
	}
	return time.Duration(*c).String()
}
func (c *costFlag) Type() string { return "TIME" }

func (c *costFlag) Set(text string) error {
	d, err := time.ParseDuration(strings.TrimSpace(text))
	if err != nil {
		return errors.New("not a time with its unit; allowed: 1ns to 1h, such as 100us or 5ms")
	}
	if d < time.Nanosecond || d > time.Hour {
		return errors.New("out of range; allowed: 1ns to 1h")
	}
	*c = costFlag(d)
	return nil
}

// shareFlag is a share from 0 to 1: 0.1 or 10%.
type shareFlag float64

func (s *shareFlag) String() string {
	if *s == 0 {
		return ""
	}
	return strconv.FormatFloat(float64(*s), 'g', -1, 64)
}
func (s *shareFlag) Type() string { return "SHARE" }

func (s *shareFlag) Set(text string) error {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := parseFloat(number)
	if percent {
		v /= 100
	}
	if err != nil || !(v >= 0 && v <= 1) {
		return errors.New("not a share; allowed: 0 to 1, such as 0.1 or 10%")
	}
	*s = shareFlag(v)
	return nil
}

// costsFlag is a list of costs, separated by commas.
type costsFlag []float64

func (c *costsFlag) String() string {
	parts := make([]string, len(*c))
	for i, v := range *c {
		one := costFlag(v)
		parts[i] = one.String()
	}
	return strings.Join(parts, ",")
}
func (c *costsFlag) Type() string { return "TIME,..." }

func (c *costsFlag) Set(text string) error {
	*c = nil
	for _, part := range strings.Split(text, ",") {
		var one costFlag
		if err := one.Set(part); err != nil {
			return err
		}
		*c = append(*c, float64(one))
	}
	return nil
}
