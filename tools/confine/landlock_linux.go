package confine

import (
	"fmt"
	"os"
	"sync"

	"github.com/landlock-lsm/go-landlock/landlock"
	abi "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// devices may be written in every mode: they keep nothing.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx"}

// deviceFolders hold devices that come and go.
var deviceFolders = []string{"/dev/pts"}

// found is what the kernel can do.
type found struct {
	rules   landlock.Config
	partial string
	err     error
}

var kernel = sync.OnceValue(func() found {
	version, err := abi.LandlockGetABIVersion()
	switch {
	case err != nil || version < 1:
		return found{err: fmt.Errorf("%w: its kernel has no Landlock", errUnsupported)}
	case version < 3:
		return found{rules: landlock.V1, partial: "its kernel is older than 6.2: files outside can be emptied and moved within their file system, though not written"}
	}
	return found{rules: landlock.V3}
})

func check() (partial string, err error) {
	k := kernel()
	return k.partial, k.err
}

// restrict takes the right to write from this process, but below p.Write.
func restrict(p policy) error {
	k := kernel()
	if k.err != nil {
		return k.err
	}
	write := landlock.RWDirs(p.Write...).IgnoreIfMissing()
	if k.partial == "" {
		write = write.WithRefer()
	}
	rules := []landlock.Rule{
		landlock.RODirs("/"),
		landlock.RWFiles(devices...).IgnoreIfMissing(),
		landlock.RWDirs(deviceFolders...).IgnoreIfMissing(),
	}
	if len(p.Write) > 0 {
		rules = append(rules, write)
	}
	return k.rules.RestrictPaths(rules...)
}

// execute replaces this process by argv, whose first item is a path.
func execute(argv []string) error {
	if err := unix.Exec(argv[0], argv, os.Environ()); err != nil {
		return fmt.Errorf("%s: %w", argv[0], err)
	}
	return nil
}
