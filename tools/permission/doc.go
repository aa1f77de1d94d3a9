// Package permission decides what a call may do (contract §3).
//
// It owns the modes, the rules, the remembered decisions (Grants) and the
// analysis of shell lines. It decides from tools.Access alone and knows no
// tool by name; it asks nobody and runs nothing: a front end asks, and Scope
// says what "always" would cover.
//
// Deny rules beat allow rules, allow rules beat asking; no rule lifts what the
// mode denies. Whatever the analysis does not understand is not covered by an
// allow rule.
//
// A Policy may be used from many goroutines as long as its fields are not
// changed and its Mode function is safe to call. Grants are safe for
// concurrent use, also by several processes on one file.
package permission
