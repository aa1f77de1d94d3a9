package builtin

import "golang.org/x/sys/windows"

// How the system says that a connection was refused, or broken off.
var (
	connectionRefused = []error{windows.WSAECONNREFUSED}
	connectionReset   = append([]error{windows.WSAECONNRESET, windows.WSAECONNABORTED}, cutOff...)
)
