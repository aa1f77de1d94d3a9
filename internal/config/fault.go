package config

import (
	"errors"
	"fmt"
	"strings"
)

// memberError is a fault of a member of a setting: of a rule, of a table. path is
// the member's behind the name of what it is in, as keyLines spells it.
type memberError struct {
	path string
	err  error
}

// Error returns the fault alone: the place is put before it.
func (e *memberError) Error() string { return e.err.Error() }

func (e *memberError) Unwrap() error { return e.err }

// memberPath is the path of the member that err is about, "" for the setting as a
// whole.
func memberPath(err error) string {
	var e *memberError
	if !errors.As(err, &e) {
		return ""
	}
	return e.path + memberPath(e.err)
}

// within puts words and the path of a member before each of the faults that err
// joins.
func within(path, words string, err error) error {
	var errs []error
	for _, one := range faults(err) {
		errs = append(errs, &memberError{path, fmt.Errorf("%s: %w", words, one)})
	}
	return errors.Join(errs...)
}

// named is within for a member that the words name.
func named(name string, err error) error { return within("."+name, name, err) }

// faults are the errors that err joins.
func faults(err error) []error {
	if err == nil {
		return nil
	}
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		return []error{err}
	}
	var out []error
	for _, one := range joined.Unwrap() {
		out = append(out, faults(one)...)
	}
	return out
}

// failEntry takes the faults of one entry, each with the line of its member.
func (l *loader) failEntry(y layer, e entry, err error) {
	for _, one := range faults(err) {
		at := e.origin
		for path := memberPath(one); path != "" && y.line != nil; path = path[:strings.LastIndexAny(path, ".[")] {
			if line := y.line(e.key.Name + path); line > 0 {
				at.Line = line
				break
			}
		}
		l.fail(&Error{at, fmt.Sprintf("%s: %s", e.key.Name, one)})
	}
}
