package mcp

// ignoreTerm does nothing: there is no TERM here.
func ignoreTerm() {}
