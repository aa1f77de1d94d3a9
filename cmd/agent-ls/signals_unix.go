//go:build !windows

package main

import (
	"os"
	"syscall"
)

// endSignals end the program in order.
var endSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
