package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"filterbench/experiments"
	"filterbench/filters/theory"
	"filterbench/report/format"
	"filterbench/report/table"
	"filterbench/results/stat"
)

func newQuestion() *cobra.Command {
	return whichOf("question", "Answer a question of the lecture text by running it",
		newQuestionOf("1", "Why no false negatives, and why false positives", 10_000, 0.01, question1),
		newQuestionOf("2", "Size a filter of 5,000,000 URLs for 0.1%, and try it", 5_000_000, 0.001, question2),
		newQuestionOf("3", "Why no deletes, what clearing bits breaks, and what counters cost", 10_000, 0.01, question3),
		newQuestion4())
}

// newQuestionOf is a question that depends on n and p alone.
func newQuestionOf(use, short string, keys uint64, rate float64, answer func(ctx context.Context, w io.Writer, n uint64, p float64) error) *cobra.Command {
	n, p := countFlag(keys), rateFlag(rate)
	cmd := &cobra.Command{
		Use: use, Short: short, Args: noArgs,
		Example: "  runbench question " + use + "\n  runbench question " + use + " --n 50000 --p 0.5%",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkProgram(uint64(n), float64(p)); err != nil {
				return err
			}
			return answer(cmd.Context(), cmd.OutOrStdout(), uint64(n), float64(p))
		},
	}
	cmd.Flags().Var(&n, "n", "keys in the filter")
	cmd.Flags().Var(&p, "p", "false-positive rate that it is sized for")
	return cmd
}

// checkBits bounds the questions that keep a list of keys for every position.
func checkBits(n uint64) error {
	if most := uint64(1_000_000); n > most {
		return fmt.Errorf("--n is %d; allowed: 1 to %d, since the keys behind every bit are kept", n, most)
	}
	return nil
}

func question1(ctx context.Context, w io.Writer, n uint64, p float64) error {
	if err := checkBits(n); err != nil {
		return err
	}
	b, err := experiments.NewBits(ctx, n, p)
	if err != nil {
		return err
	}
	ghost, positions, all, err := b.FirstGhost(ctx, n)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "Question 1: key0 .. key%d in m = %s bits with k = %d; all of them, and as many ghosts, asked for\n\n", n-1, grouped(b.M), b.K)
	fmt.Fprintf(w, "keys not found (false negatives):    %s of %s\n", grouped(b.Missing()), grouped(n))
	fmt.Fprintf(w, "ghosts not ruled out (positives):    %s of %s, %s; %s expected\n", grouped(all), grouped(n),
		percent(float64(all)/float64(n)), percent(theory.BloomExact(n, b.M, b.K)))
	if all > 0 {
		fmt.Fprintf(w, "\nThe first of these is ghost%d, all of whose bits other keys have set:\n\n", ghost)
		t := table.Table{Columns: table.Heads("#probe", "#position", "first set by", "#keys that set it")}
		for i, at := range positions {
			first, keys := b.SetBy(at)
			t.Rows = append(t.Rows, []string{fmt.Sprint(i), grouped(at), fmt.Sprintf("key%d", first), fmt.Sprint(keys)})
		}
		if _, err := io.WriteString(w, t.Text()); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(w, `
An add sets %d bits, a lookup of the same key reads the same %d, and no bit is ever
cleared: so a key that was added is always found. But a bit does not say who set it. An
absent key whose bits happen to be set by others looks as if it were there.
`, b.K, b.K)
	return err
}

func question2(ctx context.Context, w io.Writer, n uint64, p float64) error {
	m := theory.BloomBits(n, p)
	k := theory.BloomProbes(n, m)
	queries := min(2_000_000, stat.Queries(p, .05, .95))
	r, err := experiments.RunFilter(ctx, fmt.Sprintf("bloom:k=%d", k), n, float64(m)/float64(n), queries)
	if err != nil {
		return err
	}
	lo, hi := stat.Wilson(r.Positives, r.Absent, .95)
	fmt.Fprintf(w, "Question 2: %s URLs at %s\n\n", grouped(n), percent(p))
	fmt.Fprintf(w, "m = ceil(-n ln p / ln^2 2) = %s bits = %s MB = %s MiB, %.4f bits a key\n", grouped(m), decimals(megabytes(m)), decimals(mebibytes(m)), float64(m)/float64(n))
	fmt.Fprintf(w, "k = round(m/n ln 2) = %d\n", k)
	fmt.Fprintf(w, "measured: %s of %s absent URLs not ruled out, %s [%s]; exact %s\n", grouped(r.Positives), grouped(r.Absent),
		percent(float64(r.Positives)/float64(r.Absent)), format.PercentInterval(lo, hi), percent(theory.BloomExact(n, m, k)))
	fmt.Fprintf(w, "keys not found: %s of %s\n", grouped(r.Missing), grouped(n))
	verdict := "the filter keeps to it, as far as so many queries tell"
	if lo > p {
		verdict = "the filter misses it"
	}
	_, err = fmt.Fprintf(w, "\nA bit array of %s MB (%s MiB) with k = %d hash functions is asked for; %s.\n", decimals(megabytes(m)), decimals(mebibytes(m)), k, verdict)
	return err
}

func question3(ctx context.Context, w io.Writer, n uint64, p float64) error {
	if err := checkBits(n); err != nil {
		return err
	}
	b, err := experiments.NewBits(ctx, n, p)
	if err != nil {
		return err
	}
	var broken, hurt uint64
	for i := range n {
		if lost := b.BrokenBy(i); lost > 0 {
			broken += uint64(lost)
			hurt++
		}
	}
	const counter = 4
	bits := float64(b.M) / float64(n)
	if counter*bits > 64 {
		return fmt.Errorf("--p is %v; with counters of 4 bits that is more than 64 bits a key; allowed: from 0.05%%", p)
	}
	c, err := experiments.RunFilter(ctx, fmt.Sprintf("counting:k=%d", b.K), n, counter*bits, n)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "Question 3: %s keys at %s, m = %s, k = %d\n\n", grouped(n), percent(p), grouped(b.M), b.K)
	t := table.Table{Columns: table.Heads("", "bits", "counters of 4 bits")}
	t.Rows = [][]string{
		{"memory", grouped((b.M+7)/8) + " B", grouped(c.SizeBits/8) + " B"},
		{"other keys lost by deleting one", fmt.Sprintf("%.4g on average (%.4g expected)", float64(broken)/float64(n), theory.BrokenByClearing(n, b.M, b.K)), "0"},
		{"deletes that lose other keys", fmt.Sprintf("%s of %s", grouped(hurt), grouped(n)), fmt.Sprintf("0 of %s", grouped(c.Deleted))},
	}
	if c.Forgotten > 0 {
		t.Rows[1][2], t.Rows[2][2] = fmt.Sprintf("%.4g", float64(c.Forgotten)/float64(c.Deleted)), grouped(c.Forgotten)+" keys lost"
	}
	if _, err := io.WriteString(w, t.Text()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, `
A bit may belong to many keys. Clearing the %d bits of one key makes %.4g others
on average look absent: false negatives. With counters a delete takes one from each of its
counters, and those of others stay above 0: after %s deletes %s of the %s keys left were
lost. The price is %.2f times the memory, for deletes of keys that were added.
`, b.K, float64(broken)/float64(n), grouped(c.Deleted), grouped(c.Forgotten), grouped(n-c.Deleted), float64(c.SizeBits)/float64(b.M))
	return err
}

func newQuestion4() *cobra.Command {
	n, p, reads := countFlag(1_000_000), rateFlag(0.01), costsFlag{1e3, 1e5, 1e7}
	cmd := &cobra.Command{
		Use: "4", Short: "When does a filter pay: by the share of present keys and the cost of a read", Args: noArgs,
		Example: `  runbench question 4
  runbench question 4 --n 1e5 --p 0.1% --read-cost 200ns,80us`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkProgram(uint64(n), float64(p)); err != nil {
				return err
			}
			return question4(cmd.Context(), cmd.OutOrStdout(), uint64(n), float64(p), reads)
		},
	}
	cmd.Flags().Var(&n, "n", "keys in the filter")
	cmd.Flags().Var(&p, "p", "false-positive rate that it is sized for")
	cmd.Flags().Var(&reads, "read-cost", "times of a read, separated by commas")
	return cmd
}

// benefit is what a query gains from a filter, in ns: the reads spared less the
// lookup, for a share of present keys.
func benefit(share, read, fpr, absent, present float64) float64 {
	return theory.SparedReads(share, fpr)*read - (1-share)*absent - share*present
}

// paysBelow is the share of present keys up to which a filter gains something: what
// it gains from each absent key pays for its lookups of present ones. It never pays
// where even absent keys cost more than the reads that they are spared.
func paysBelow(read, fpr, absent, present float64) (share float64, pays bool) {
	gain := benefit(0, read, fpr, absent, present)
	return gain / (gain + present), gain > 0
}

func question4(ctx context.Context, w io.Writer, n uint64, p float64, reads []float64) error {
	m := theory.BloomBits(n, p)
	queries := min(1_000_000, max(100_000, stat.Queries(p, .1, .95)))
	r, err := experiments.RunFilter(ctx, "bloom", n, float64(m)/float64(n), queries)
	if err != nil {
		return err
	}
	fpr := float64(r.Positives) / float64(r.Absent)
	fmt.Fprintf(w, "Question 4: a filter of %s URLs; measured here: rate %s, a lookup %.3g ns for absent keys and %.3g ns for present ones, an add %.3g ns\n\n",
		grouped(n), percent(fpr), r.ForAbsent, r.ForPresent, r.Add)
	t := table.Table{Columns: table.Heads("#present keys")}
	for _, read := range reads {
		t.Columns = append(t.Columns, table.Column{Name: "gain at " + format.Nanoseconds(read) + " a read", Number: true})
	}
	for _, share := range []float64{0, .1, .5, .9, .99, 1} {
		row := []string{percent(share)}
		for _, read := range reads {
			row = append(row, format.Nanoseconds(benefit(share, read, fpr, r.ForAbsent, r.ForPresent)))
		}
		t.Rows = append(t.Rows, row)
	}
	row, adds := []string{"pays below"}, []string{"adds it pays"}
	for _, read := range reads {
		even, pays := paysBelow(read, fpr, r.ForAbsent, r.ForPresent)
		row, adds = append(row, neverOr(pays, percent(even))), append(adds, neverOr(pays, format.Count(benefit(0, read, fpr, r.ForAbsent, r.ForPresent)/r.Add)))
	}
	t.Rows = append(t.Rows, row, adds)
	if _, err := io.WriteString(w, t.Text()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, `
A gain is per query, against reading every time. A filter pays most where most keys asked
for are absent and a read is dear; for present keys it only adds its lookup, so that near
100%% it costs. The line "pays below" is the share of present keys up to which it pays. Each
key added costs %.3g ns, and a lookup of an absent key pays for as many adds as the last line
says: a load that writes more than that for each of them loses. Times are of this run, one key after the other,
hashing included; other work on the machine disturbs them.
`, r.Add)
	return err
}

// neverOr is a text, or never.
func neverOr(ok bool, s string) string {
	if ok {
		return s
	}
	return "never"
}
