package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"filterbench/experiments"
	"filterbench/filters/registry"
	"filterbench/report"
	"filterbench/report/claims"
	"filterbench/results"
)

func newAddMachine() *cobra.Command {
	into, replace := "results", false
	cmd := &cobra.Command{
		Use:   "add-machine [DIR]",
		Short: "File a results folder as the reference of its machine",
		Long: `File a results folder (default: ` + defaultDir + `) as the reference of its machine:
copied to results/MACHINE, named after the CPU (and to MACHINE-quick if it is of the
quick profile), with its report and a README of the machine and the command. Refused
is a folder that lacks an experiment or filters, was interrupted, or in which a
counted verdict is not what theory establishes.`,
		Example: `  runbench run --profile full --out results/mine
  runbench add-machine results/mine`,
		Args: atMostOne("results folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return addMachine(resultsDir(args), into, replace, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&into, "into", into, "folder of the references")
	cmd.Flags().BoolVar(&replace, "replace", false, "replace the reference that there is of this machine")
	return cmd
}

func addMachine(dir, into string, replace bool, out io.Writer) error {
	set, err := results.ReadDir(dir)
	if err != nil {
		return err
	}
	if err := checkReference(set); err != nil {
		return fmt.Errorf("%s cannot be a reference: %w", dir, err)
	}
	to := filepath.Join(into, referenceName(set))
	if _, err := os.Stat(to); err == nil && !replace {
		return fmt.Errorf("%s is there already; --replace puts this one in its place", to)
	}
	if err := os.MkdirAll(to, 0o777); err != nil {
		return fmt.Errorf("--into: %w", err)
	}
	stale, err := filepath.Glob(filepath.Join(to, "*.txt")) // of the run that is replaced
	if err != nil {
		return err
	}
	for _, path := range stale {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	for _, f := range set.Files {
		if err := results.WriteFile(filepath.Join(to, f.Experiment+".txt"), f); err != nil {
			return err
		}
	}
	filed, err := results.ReadDir(to)
	if err != nil {
		return err
	}
	summary, err := report.Write(filed, filepath.Join(to, "report"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(to, "README.md"), []byte(machineReadme(set, summary)), 0o666); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, "reference:", to)
	return err
}

// checkReference says why a folder is not a whole, honest run.
func checkReference(set *results.Set) error {
	for _, e := range experiments.All {
		i := slices.IndexFunc(set.Files, func(f results.File) bool { return f.Experiment == e.Name })
		if i < 0 {
			return fmt.Errorf("it lacks %s.txt; `runbench run --out %s` makes all", e.Name, set.Dir)
		}
		if v := set.Files[i].Get("incomplete"); v != "" {
			return fmt.Errorf("%s.txt was interrupted (%s); --resume completes it", e.Name, v)
		}
	}
	if have, _ := set.Config("filters"); have != specList(registry.Defaults()) {
		return fmt.Errorf("its filters are not those that a run without --filters measures; `runbench run --out %s` measures them", set.Dir)
	}
	for _, key := range []string{"cpu", "profile", "seed"} {
		if _, ok := set.Config(key); !ok {
			return fmt.Errorf("its files do not agree on their %s, or lack it", key)
		}
	}
	rows, code := claims.Validate(set)
	if code == claims.Agrees {
		return nil
	}
	for _, r := range rows {
		if r.Differs && !r.Timing {
			return fmt.Errorf("%s (%s) comes out as %s, where %s is established", r.ID, r.Claim, r.Status, r.Want)
		}
	}
	return errors.New("the headline claim or a golden number was not measured; runbench validate says which")
}

// referenceName is the name of a reference's folder: runs of different profiles count
// different numbers, so that a machine has one of each.
func referenceName(set *results.Set) string {
	name := machineName(set)
	if profile, _ := set.Config("profile"); profile != "full" {
		name += "-" + profile
	}
	return name
}

// machineName is the name of a machine and its folder, such as intel-xeon-f6m207s2.
func machineName(set *results.Set) string {
	brand, _ := set.Config("cpu")
	id, _ := set.Config("cpu-id")
	brand, _, _ = strings.Cut(strings.ToLower(brand), "@")
	words := strings.FieldsFunc(strings.NewReplacer("(r)", " ", "(tm)", " ").Replace(brand), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	words = slices.DeleteFunc(words, func(w string) bool { return w == "cpu" || w == "processor" || w == "core" })
	var vendor string
	var family, model, stepping int
	if n, _ := fmt.Sscanf(id, "%s family %d model %d stepping %d", &vendor, &family, &model, &stepping); n == 4 {
		words = append(words, fmt.Sprintf("f%dm%ds%d", family, model, stepping))
	}
	if len(words) == 0 {
		arch, _ := set.Config("goarch")
		words = []string{"unknown", arch}
	}
	return strings.Join(words, "-")
}

// commitsOf lists the commits that measured a run, and the experiments of each: more
// than one where some were measured again.
func commitsOf(set *results.Set) (commits []string, of map[string][]string) {
	of = map[string][]string{}
	for _, f := range set.Files {
		commit := f.Get("commit")
		if len(of[commit]) == 0 {
			commits = append(commits, commit)
		}
		of[commit] = append(of[commit], f.Experiment)
	}
	return commits, of
}

// machineReadme says what the machine is and how its results came about.
func machineReadme(set *results.Set, s report.Summary) string {
	var b strings.Builder
	value := func(key string) string {
		v, _ := set.Config(key)
		return v
	}
	fmt.Fprintf(&b, "# %s\n\nMade by\n\n", value("cpu"))
	commits, of := commitsOf(set)
	for _, commit := range commits {
		only := ""
		if len(commits) > 1 {
			only = " " + strings.Join(of[commit], " ")
		}
		if commit != "" && commit != "unknown" {
			fmt.Fprintf(&b, "    git checkout %s && make build\n", commit)
		}
		fmt.Fprintf(&b, "    bin/runbench run%s --profile %s --seed %s\n", only, value("profile"), value("seed"))
	}
	fmt.Fprintf(&b, "\non %s. %s\n\n", set.Files[0].Get("date"), s.Headline)
	b.WriteString("| | |\n|---|---|\n")
	for _, key := range []string{"cpu-id", "cpu-features", "cpus", "vm", "memory", "kernel", "go", "goarch", "goamd64",
		"cache-l1d", "cache-l2", "cache-l3", "cache-source", "thp", "pages", "simd", "perf-counters"} {
		if v := value(key); v != "" {
			fmt.Fprintf(&b, "| %s | %s |\n", key, strings.ReplaceAll(v, "|", "\\|"))
		}
	}
	b.WriteString("\nThe report is in [report/index.html](report/index.html), its tables in [report/tables.md](report/tables.md).\n")
	return b.String()
}
