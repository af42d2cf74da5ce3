package report

import (
	"fmt"
	"strings"

	"filterbench/report/chart"
	"filterbench/report/table"
	"filterbench/results"
)

// part is how the report reads one experiment.
type part struct {
	experiment string
	title      string   // of its section, a question; "" for none
	charts     []string // how the names of its charts start, before any hyphen
	read       func(set *results.Set) content
}

// content is what one experiment's records say.
type content struct {
	charts   []chart.Chart
	tables   []table.Table
	warnings []string
	unusable int // records that were left out
}

// parts are the experiments in the order of the page. An experiment is taken up
// by a line here and a file of its own.
var parts = []part{
	{"fpr", "How often is it wrong?", []string{"fpr", "space"}, readFPR},
	{"space", "What does a rate take?", []string{"space"}, readSpace},
	{"overload", "What if it holds too much?", []string{"overload"}, readOverload},
	{"lookup", "How fast is it?", []string{"throughput", "hits"}, readLookup},
	{"lookup", "Which one costs least?", []string{"skyline"}, readSkyline},
	{"ladder", "Where do the caches end?", []string{"ladder"}, readLadder},
	{"kernels", "How near is it to what the memory allows?", []string{"kernels"}, readKernels},
	{"pages", "What do small pages cost?", []string{"pages"}, readPages},
	{"insert", "What does an add cost?", []string{"insert"}, readInsert},
	{"hitmix", "What is a positive worth?", []string{"precision", "hitmix"}, readHitMix},
	{"latency", "How slow is the slowest?", []string{"latency"}, readLatency},
	{"threads", "What do more threads do?", []string{"threads"}, readThreads},
	{"scan", "What would one do without?", []string{"scan"}, readScan},
	{"touch", "How much memory does it touch?", []string{"touch"}, readTouch},
	{"memory", "What does it take?", []string{"memory"}, readMemory},
	{"crawl", "How fast does it drop what came before?", []string{"crawl"}, readCrawl},
	{"lsm", "What does it save an LSM tree?", []string{"lsm"}, readLSM},
	{"pebble", "What does it save a real engine?", []string{"pebble"}, readPebble},
	{"hashonce", "What does hashing once save?", []string{"hashonce"}, readHashOnce},
	{"frontcoding", "How much smaller do sorted keys get?", []string{"frontcoding"}, readFrontCoding},
	{"delete", "What can be deleted?", []string{"delete"}, readDelete},
	{"hash", "What does hashing cost?", []string{"hash"}, readHash},
	{"steps", "Are two hashes enough?", []string{"steps"}, readSteps},
	{"textbook", "", nil, readTextbook},
}

func readFPR(set *results.Set) content {
	records := set.Records("fpr")
	cells, bad := rates(records)
	c := content{unusable: bad, charts: fprCharts(cells)}
	if !searched(set) {
		c.charts, c.tables = append(c.charts, spaceCharts(cells)...), []table.Table{spaceTable(cells)}
	}
	c.tables = append(c.tables, fprTable(cells))
	c.charts = append(append(c.charts, modelChart(cells)), ratioCharts(cells)...)
	c.warnings = append(lostKeys(records), doubtfulModels(records, cells)...)
	return c
}

func readLookup(set *results.Set) content {
	times, bad := timings(set.Records("lookup"))
	return content{
		unusable: bad,
		charts:   append(throughputCharts(ranked(times), levels(set)), hitCharts(ranked(times))...),
		tables:   []table.Table{lookupTable(times), limitTable(times), noiseTable(times)},
		warnings: doubtful(times),
	}
}

func readMemory(set *results.Set) content {
	sizes, bad := weights(set.Records("memory"))
	return content{unusable: bad, charts: memoryCharts(sizes), tables: []table.Table{memoryTable(sizes)}}
}

func readTextbook(set *results.Set) content {
	return content{tables: textbookTables(set.Records("textbook"))}
}

// take adds what a part says to the report.
func (r *report) take(p part) {
	c := p.read(r.set)
	if c.unusable > 0 {
		r.warnings = append(r.warnings, fmt.Sprintf("%s.txt: left out %d records without usable values", p.experiment, c.unusable))
	}
	if p.title != "" {
		r.section(p.experiment, p.title, c.charts)
	}
	for _, t := range c.tables {
		if len(t.Rows) > 0 {
			r.tables = append(r.tables, t)
		}
	}
	r.warnings = append(r.warnings, c.warnings...)
}

// ownChart reports whether a file has the name of one of the report's charts.
func ownChart(name string) bool {
	for _, p := range parts {
		for _, c := range p.charts {
			if strings.HasPrefix(name, c+".") || strings.HasPrefix(name, c+"-") {
				return true
			}
		}
	}
	return false
}
