//go:build !windows

package main

import (
	"os"
	"syscall"
)

// controllingTerminal is the terminal that the program was started from.
const controllingTerminal = "/dev/tty"

// endSignals end the program in order.
var endSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
