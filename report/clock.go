package report

import "filterbench/results/stat"

// interrupted counts the samples, and those that other work on the machine
// disturbed.
func interrupted(times []timing) (samples, disturbed int) {
	for _, t := range times {
		samples += t.samples
		disturbed += t.disturbed
	}
	return samples, disturbed
}

func hasCPU(times []timing) bool {
	for _, t := range times {
		if !(t.cpu.mid > 0) {
			return false
		}
	}
	return len(times) > 0
}

// ranked are the times by the clock that charts and titles go by: the thread's
// CPU time where many samples were disturbed and the system tells it, else
// wall-clock time.
func ranked(times []timing) []timing {
	if !stat.Busy(interrupted(times)) || !hasCPU(times) {
		return times
	}
	out := make([]timing, len(times))
	for i, t := range times {
		t.ns, t.byCPU = t.cpu, true
		out[i] = t
	}
	return out
}

// clock names the clock of ranked times, to go before "median".
func clock(times []timing) string {
	if len(times) > 0 && times[0].byCPU {
		return "CPU time, "
	}
	return ""
}
