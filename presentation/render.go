package presentation

// Relativize returns title with every occurrence of path, the card's raw
// path, replaced by its form relative to cwd (tools.md §3.14.18). It returns
// title unchanged when path is outside cwd, equal to it, or not absolute.
func Relativize(title, path, cwd string) string { panic("stub") }

// TitlePath is the raw path that a card's title may hold: its first location
// for a generic card, else its first diff; "" for a terminal.
func TitlePath(v CallView) string { panic("stub") }

// ConsoleFence wraps terminal output, ANSI sequences removed, into a fenced
// console block whose fence is longer than any run of backticks inside.
func ConsoleFence(output string) string { panic("stub") }

// StripANSI removes terminal control sequences and folds carriage returns.
func StripANSI(s string) string { panic("stub") }

// Hunks turns before and after of one file into one FileDiff a hunk, with
// three lines of context (tools.md §3.11, Appendix A.3). existed false means
// that the file is new.
func Hunks(path, before, after string, existed bool) []FileDiff { panic("stub") }
