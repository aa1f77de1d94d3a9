package proc

import (
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is the job object of one command. Its processes die with the handle,
// also when the server is killed.
type group struct {
	reaped atomic.Bool

	mu  sync.Mutex
	job windows.Handle // 0 after release
}

// startGroup starts cmd in a job object of its own. What the shell starts
// before it is in the job, a moment after its start, is not caught.
func startGroup(cmd *exec.Cmd, _ bool, _ *warden) (*group, error) {
	job, err := newJob()
	if err != nil {
		return nil, err
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.CreationFlags |= windows.CREATE_NEW_PROCESS_GROUP
	cmd.SysProcAttr.HideWindow = true
	if err := cmd.Start(); err != nil {
		_ = windows.CloseHandle(job)
		return nil, err
	}
	assign(job, cmd.Process.Pid)
	return &group{job: job}, nil
}

// setReaped says that the shell was waited for.
func (g *group) setReaped() { g.reaped.Store(true) }

// newJob makes a job object that ends its processes when it is closed.
func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
			LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
		},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		_ = windows.CloseHandle(job)
		return 0, err
	}
	return job, nil
}

// assign puts the process pid into job. A process that has ended already
// needs no job.
func assign(job windows.Handle, pid int) {
	const access = windows.PROCESS_SET_QUOTA | windows.PROCESS_TERMINATE
	h, err := windows.OpenProcess(access, false, uint32(pid))
	if err != nil {
		return
	}
	defer windows.CloseHandle(h)
	_ = windows.AssignProcessToJobObject(job, h)
}

// jobAccounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION.
type jobAccounting struct {
	times                                               [4]int64
	faults, totalProcesses, activeProcesses, terminated uint32
}

// populated says whether the job has processes.
func (g *group) populated() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job == 0 {
		return false
	}
	const basicAccounting = 1
	var info jobAccounting
	err := windows.QueryInformationJobObject(g.job, basicAccounting,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)), nil)
	return err == nil && info.activeProcesses > 0
}

// terminate ends every process of the job at once: there is no TERM here.
func (g *group) terminate(time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, 1)
	}
}

// release closes the job, and with it what is left in it.
func (g *group) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job != 0 {
		_ = windows.CloseHandle(g.job)
		g.job = 0
	}
}

// exitStatus returns the exit code; a process that we killed counts as killed,
// since the system gives it an ordinary code.
func exitStatus(state *os.ProcessState, killed bool) (code *int, signal string) {
	switch {
	case killed:
		return nil, "SIGKILL"
	case state == nil:
		return nil, ""
	}
	n := state.ExitCode()
	return &n, ""
}

// arguments gives the shell its command line. cmd has rules of its own for
// quoting: with /s it takes away the outer quotes and leaves the rest alone.
func (s Shell) arguments(cmd *exec.Cmd, line string) {
	if s.Name != "cmd" {
		cmd.Args = append(append([]string{s.Path}, s.Args...), line)
		return
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		CmdLine: syscall.EscapeArg(s.Path) + " " + strings.Join(s.Args, " ") + ` "` + line + `"`,
	}
}
