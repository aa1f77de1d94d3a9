package main

import "os"

// endSignals end the program in order.
var endSignals = []os.Signal{os.Interrupt}
