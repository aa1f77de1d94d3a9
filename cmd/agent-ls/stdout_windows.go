package main

import (
	"io"
	"os"

	"golang.org/x/sys/windows"
)

// protocolOutput keeps stdout for the protocol alone: what is printed to the
// standard output from now on goes to stderr.
func protocolOutput(out io.Writer) (io.WriteCloser, error) {
	f, ok := out.(*os.File)
	if !ok {
		return nopCloser{out}, nil
	}
	os.Stdout = os.Stderr
	if err := windows.SetStdHandle(windows.STD_OUTPUT_HANDLE, windows.Handle(os.Stderr.Fd())); err != nil {
		return nil, err
	}
	return f, nil
}
