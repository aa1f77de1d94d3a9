// Package confine keeps what commands may write within bounds that the system
// enforces (tools.md §3.12, contract §1): on Linux with Landlock, through a
// second start of this program that confines itself and then becomes the
// command. Elsewhere, and on kernels without Landlock, Check says that it cannot
// be done; nothing ever runs unconfined instead.
//
// It owns the modes, the arguments of that second start and the rules. What a
// command may read, run or reach over the network is not its business.
//
// A Confinement is immutable. Intercept belongs at the very beginning of main.
package confine
