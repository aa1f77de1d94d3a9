//go:build !windows

package builtin

import "syscall"

// How the system says that a connection was refused, or broken off.
var (
	connectionRefused = []error{syscall.ECONNREFUSED}
	connectionReset   = append([]error{syscall.ECONNRESET, syscall.ECONNABORTED, syscall.EPIPE}, cutOff...)
)
