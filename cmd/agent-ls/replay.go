package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/agent-ls/agent-ls/internal/config"
	"github.com/agent-ls/agent-ls/internal/replay"
)

func replayCommand(io streams) *cobra.Command {
	var asJSON bool
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "replay [flags] WIRELOG",
		Short: "Play a wire log against this build and show what differs",
		Long: `Plays the client's side of a wire log that "agent-ls acp --wire-log FILE" wrote
against this build, and shows what it says differently: answers, messages, tool
calls. Ids, times and folders do not count as differences.

The folders of the log's sessions are played in copies, with a state folder of
their own; the commands of the log run again. Give the flags that the log was
made with, such as --model.
Exit status: 0 nothing differs, 1 something does, 2 bad usage or a file that is
no wire log.`,
		Example: `  agent-ls replay wire.jsonl
  agent-ls replay --model script:bug.json --json wire.jsonl`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError(fmt.Errorf("replay takes one file, got %d arguments", len(args)))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			report, err := replayFile(cmd, args[0], timeout)
			if err != nil {
				return err
			}
			if asJSON {
				err = printJSON(io.out, report)
			} else {
				err = report.Write(io.out)
			}
			if err == nil && !report.Equal {
				return &exitError{code: exitFailed}
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	cmd.Flags().DurationVar(&timeout, "timeout", 30*time.Second, "how long each answer of the program is waited for")
	return cmd
}

// replayFile plays a file against this program.
func replayFile(cmd *cobra.Command, file string, timeout time.Duration) (*replay.Report, error) {
	c, err := loadConfig(cmd)
	if err != nil {
		return nil, err
	}
	logger, logFile, err := openLog(c, cmd.ErrOrStderr())
	if err != nil {
		return nil, err
	}
	defer logFile.Close()
	f, err := os.Open(file)
	if err != nil {
		return nil, usageError(err)
	}
	defer f.Close()
	log, err := replay.Read(f)
	if err != nil {
		return nil, usageError(fmt.Errorf("%s cannot be played: %w", file, err))
	}
	self, err := os.Executable()
	if err != nil {
		return nil, &exitError{exitFailed, fmt.Errorf("find this program: %w", err)}
	}
	scratch, err := os.MkdirTemp("", "agent-ls-replay-")
	if err != nil {
		return nil, &exitError{exitFailed, fmt.Errorf("make the scratch folder: %w", err)}
	}
	report, err := replay.Play(cmd.Context(), log, replay.Options{
		Program: self, Args: append([]string{"acp"}, forwarded(cmd)...), Env: os.Environ(), Dir: c.Cwd,
		Scratch: scratch, Timeout: timeout, Logger: logger,
	})
	err = errors.Join(err, os.RemoveAll(scratch))
	switch {
	case interrupted(cmd.Context()):
		return nil, &exitError{code: exitInterrupted}
	case err != nil:
		return nil, &exitError{exitFailed, err}
	}
	return report, nil
}

// forwarded are the common flags of this command for the program that is
// played, but for those of files that are the replay's own.
func forwarded(cmd *cobra.Command) []string {
	var args []string
	for name, value := range config.FlagValues(cmd.Flags()) {
		switch name {
		case "state-dir", "wire-log", "log", "cwd":
			// ours
		default:
			args = append(args, "--"+name+"="+value)
		}
	}
	return args
}
