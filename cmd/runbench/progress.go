package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"filterbench/experiments"
	"filterbench/results"
)

// progress shows how far a run is, on a terminal; elsewhere it says once what is
// to come.
type progress struct{ bar *progressbar.ProgressBar }

func newProgress(w io.Writer, plan *experiments.Plan, journal *results.Journal) progress {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		units, left := plan.Left(journal)
		fmt.Fprintf(w, "measuring %d units, about %.0f s\n", units, math.Ceil(left.Seconds()))
		return progress{}
	}
	total := plan.Time(experiments.Workers())
	return progress{progressbar.NewOptions64(total.Milliseconds(),
		progressbar.OptionSetWriter(file),
		progressbar.OptionSetDescription("measuring"),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionThrottle(200*time.Millisecond),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionFullWidth(),
	)}
}

// add tells that work of the given expected time is done.
func (p progress) add(d time.Duration) {
	if p.bar != nil {
		_ = p.bar.Add64(d.Milliseconds()) // a bar that cannot be drawn is no reason to stop
	}
}

func (p progress) done() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
