// Package config turns flags, environment variables, editor settings and files
// into one checked value that knows where each setting came from (contract §1).
//
// Every setting is declared once, in the table of keys.go; flags, variables,
// file keys, the reference in docs/configuration.md and the output of doctor
// follow from it. The package reads files but opens and changes nothing else,
// and it does not know what its settings mean to the program.
//
// Precedence: flag, environment, editor setting, user file, default. The file
// in a workspace is not trusted: it can make the permissions narrower and set
// what only concerns the display, and nothing else.
//
// Load is a pure function of its Sources; a Config may be read from many
// goroutines.
package config
