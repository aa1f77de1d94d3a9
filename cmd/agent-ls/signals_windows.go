package main

import "os"

// controllingTerminal is the terminal that the program was started from.
const controllingTerminal = "CONIN$"

// endSignals end the program in order.
var endSignals = []os.Signal{os.Interrupt}
