package main

import (
	"math"
	"strings"
	"testing"

	"filterbench/filters/theory"
)

// Exercises and questions print what independent programs compute.
func TestExercisesAndQuestions(t *testing.T) {
	for line, want := range map[string][]string{
		"exercise 2":                          {"100,000", "1,004", "98.996%", "10,466", "save 98,996 of 100,000 reads"},
		"exercise 2 --hit-share 10%":          {"95,500", "1,939", "939"},
		"exercise 3":                          {"as they are", "5,706", "and 0 keys are lost", "are reported as absent"},
		"question 1":                          {"0 of 10,000", "114 of 10,000", "ghost70", "43,244", "key494", "1.00399% expected"},
		"question 2 --n 100000 --p 1%":        {"958,506 bits", "k = round(m/n ln 2) = 7", "0.120 MB", "keys not found: 0 of 100,000"},
		"question 3":                          {"11,982 B", "5.088 on average (5.11 expected)", "9,948 of 10,000", "5,000 deletes 0 of the 5,000 keys"},
		"question 4 --n 10000 --read-cost 1s": {"gain at 1 s a read", "pays below", "adds it pays"},
		"question 4 --read-cost 1ns":          {"never"},
		"textbook --explain":                  {"省下 8996 次", "98,996 of them (98.996%), not\n8,996", "1.004% of the probes"},
	} {
		stdout, stderr, code := command(t, strings.Fields(line)...)
		for _, w := range want {
			if code != 0 || stderr != "" || !strings.Contains(stdout, w) {
				t.Errorf("%s: exit %d, no %q in\n%s%s", line, code, w, stdout, stderr)
			}
		}
	}
}

func TestExercisesAndQuestionsRefuse(t *testing.T) {
	for line, want := range map[string]string{
		"exercise":                       "there are: 1, 2, 3",
		"question":                       "there are: 1, 2, 3, 4",
		"question 5":                     "there are: 1, 2, 3, 4",
		"exercise 2 --tables 0":          "1 to 2^40",
		"exercise 2 --n 5 --tables 6":    "allowed: 1 to n = 5",
		"exercise 2 --n 1e7 --tables 10": "gets x tables",
		"exercise 2 --hit-share -1":      "not a share",
		"exercise 3 --lies 0":            "between 0 and 1",
		"question 1 --n 2e6":             "1 to 1000000",
		"question 2 --p 1":               "between 0 and 1",
		"question 3 --p 1e-9":            "allowed: from 0.05%",
		"question 4 --read-cost 1us,2":   "not a time with its unit",
	} {
		_, stderr, code := command(t, strings.Fields(line)...)
		if code == 0 || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit %d, %q, want %q", line, code, stderr, want)
		}
	}
}

// Where lookups take alike the share up to which a filter pays is that of theory.
func TestBenefitEndsAtTheBreakEven(t *testing.T) {
	const read, fpr, lookup = 1_000, .01, 50
	even := theory.BreakEven(lookup, read, fpr)
	if b := benefit(even, read, fpr, lookup, lookup); math.Abs(b) > 1e-9 || even < .949 || even > .95 {
		t.Errorf("a gain of %v ns at %v", b, even)
	}
}

func TestPaysBelow(t *testing.T) {
	for _, tt := range []struct {
		read, fpr, absent, present float64
		want                       float64 // 0 for never
	}{
		{1000, 0, 50, 50, 0.95},
		{1000, 0, 50, 950, 0.5},
		{100, 0.5, 50, 1, 0},
		{1, 0.01, 500, 20, 0}, // a lookup of an absent key takes much longer than the read that it spares
	} {
		got, pays := paysBelow(tt.read, tt.fpr, tt.absent, tt.present)
		if pays != (tt.want > 0) || pays && math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%+v: pays below %v (%v)", tt, got, pays)
		}
	}
}
