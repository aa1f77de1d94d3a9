package conformance

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience bounds what a case waits for; it is far longer than anything takes.
const patience = slowdown * 90 * time.Second

// program is the built agent-ls.
var program string

func TestMain(m *testing.M) {
	if serveMCP() {
		return
	}
	flag.Parse()
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	if runtime.GOOS == "windows" {
		fmt.Println("skipped: the cases drive a POSIX shell")
		return 0
	}
	dir, err := os.MkdirTemp("", "agent-ls-conformance-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "agent-ls")
	if err := build(program); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	moreParallel()
	return m.Run()
}

// programPath is the package of the program.
const programPath = "github.com/agent-ls/agent-ls/cmd/agent-ls"

// build makes the program that is tested.
func build(out string) error {
	args := []string{"build", "-o", out}
	if underRace {
		args = append(args, "-race")
	}
	cmd := exec.Command("go", append(args, programPath)...)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("build the program: %w", err)
	}
	return nil
}

// noteSources looks at the folders that the program is built of, so that the go
// command knows that a result that it has cached depends on them. It sees only
// what tests look at, not TestMain.
var noteSources = sync.OnceValue(func() error {
	list, err := exec.Command("go", "list", "-deps", "-f", "{{if .Module}}{{if .Module.Main}}{{.Dir}}{{end}}{{end}}", programPath).Output()
	if err != nil {
		return fmt.Errorf("list the program's packages: %w", err)
	}
	for dir := range strings.Lines(string(list)) {
		if _, err := os.ReadDir(strings.TrimSpace(dir)); err != nil {
			return err
		}
	}
	return nil
})

// moreParallel lets three cases run for each processor, unless -parallel says
// otherwise: most of their time they wait.
func moreParallel() {
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		flag.Set("test.parallel", strconv.Itoa(3*runtime.GOMAXPROCS(0)))
	}
}
