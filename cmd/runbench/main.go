// Command runbench measures approximate-membership filters, draws what it
// measured, and judges the textbooks' claims with it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

// stopInTurn are the commands that a first Ctrl-C asks to stop, so that they keep
// what they have; it ends the others at once, which have nothing to lose.
var stopInTurn = []string{"run", "ab", "exercise", "question", "textbook"}

// heed lets signals reach the command by its context, if it looks at that.
func heed(cmd *cobra.Command) {
	if !slices.Contains(stopInTurn, cmd.Name()) {
		return
	}
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	cmd.SetContext(ctx)
}

// noEmpty refuses a flag that is given without a value, as --claim "$unset" is: it is
// not the same as none.
func noEmpty(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err == nil && f.Value.String() == "" {
			err = fmt.Errorf("--%s is empty; leave it out, or name a value", f.Name)
		}
	})
	return err
}

// sink remembers that something could not be written, so that no command has to.
type sink struct {
	io.Writer
	err error
}

func (s *sink) Write(p []byte) (n int, err error) {
	if n, err = s.Writer.Write(p); err != nil && s.err == nil {
		s.err = err
	}
	return n, err
}

// run executes a command line and returns the exit status. An error is one
// line on stderr.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	out := &sink{Writer: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil && out.err != nil {
		err = fmt.Errorf("cannot write the output: %w", out.err)
	}
	if err == nil {
		return 0
	}
	code, exit := 1, exitError{}
	switch {
	case errors.As(err, &exit):
		code, err = exit.code, exit.err
	case errors.Is(err, context.Canceled):
		code, err = 130, errors.New("interrupted")
	}
	if err != nil {
		fmt.Fprintln(stderr, "runbench:", oneLine(err))
	}
	return code
}

// exitError ends the program with a code of its own.
type exitError struct {
	code int
	err  error // printed unless nil
}

func (e exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.code)
	}
	return e.err.Error()
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "runbench",
		Short: "Measure approximate-membership filters: cost, error and speed, with evidence",
		Long: `runbench measures approximate-membership filters (Bloom and its successors):
how many bits a key costs, how often the answer is wrong, and how fast it is on
this CPU, from the L1 cache to memory. It judges the textbooks' claims with the
numbers, the 9.6 bits per key for 1 % above all.`,
		Example: `  runbench run                     measure everything, quick profile, into results/local
  runbench report                  draw results/local and judge the claims
  runbench size --n 1e6 --fpr 1%   what a filter for a million keys costs`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },

		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			heed(cmd)
			if err := noEmpty(cmd); err != nil {
				return cmd.FlagErrorFunc()(cmd, err)
			}
			return nil
		},
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%s: %w; see %s --help", cmd.Name(), err, cmd.CommandPath())
	})
	root.AddCommand(
		newRun(), newReport(), newValidate(), newList(),
		newSize(), newAdvise(), newCPU(), newTextbook(), newExercise(), newQuestion(), newBench(),
		newTrust(), newCompare(), newAB(), newHistory(), newMerge(), newAddMachine(), newCI(),
	)
	return root
}

// noArgs refuses words that are neither a command nor a flag, and lists the
// commands there are.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !cmd.HasSubCommands() {
		return fmt.Errorf("%s takes no arguments; got %q", cmd.Name(), args[0])
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return fmt.Errorf("unknown command %q; there are: %s", args[0], strings.Join(names, ", "))
}

// atMostOne is noArgs for commands that take a folder.
func atMostOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return fmt.Errorf("%s takes one %s; got %d: %s", cmd.Name(), what, len(args), strings.Join(args, " "))
		}
		return nil
	}
}
