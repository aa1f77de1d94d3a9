package tools

// scope caches dependencies of one call or run.
type scope struct{}
