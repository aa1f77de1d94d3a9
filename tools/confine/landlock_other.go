//go:build !linux

package confine

func check() (partial string, err error) { return "", errUnsupported }

func restrict(policy) error { return errUnsupported }

func execute([]string) error { return errUnsupported }
