package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// tellPerson says what a server waits for to somebody who has started it in a
// terminal, where nothing else would be seen.
func tellPerson(cmd *cobra.Command, streams streams) {
	if isTerminal(streams.in) {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s waits for the messages of a client on standard input: give this command to an editor. Ctrl-C ends it; see %q\n",
			cmd.CommandPath(), cmd.CommandPath()+" --help")
	}
}

// nopCloser leaves a writer that is not ours open.
type nopCloser struct{ io.Writer }

// Close does nothing.
func (nopCloser) Close() error { return nil }
