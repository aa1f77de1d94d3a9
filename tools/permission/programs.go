package permission

import (
	"path"
	"strings"
)

// runners run the command that they are given, or change what later words of
// the shell mean: no rule about their name says what runs (tools.md §1.18).
var runners = words(`
	. source eval exec command builtin env sudo doas su runuser xargs parallel time timeout nohup nice ionice stdbuf setsid
	watch entr script expect unbuffer rlwrap chroot unshare nsenter setpriv capsh flock taskset chrt numactl cpulimit
	strace ltrace gdb lldb valgrind perf busybox toybox fd ssh rsh mosh lxc vagrant wsl
	systemd-run at batch crontab firejail bwrap proot fakeroot dbus-run-session xvfb-run caffeinate arch open
	xdg-open start osascript launchctl nc ncat netcat socat telnet tmux screen
	sh bash dash ash zsh ksh mksh fish csh tcsh rbash cmd cmd.exe powershell powershell.exe pwsh pwsh.exe
	alias unalias export declare typeset local readonly set shopt unset hash enable trap read readarray mapfile getopts let
	printf test [ wait bind complete compgen fc history coproc function select pushd popd dirs cd chdir ulimit umask`)

// interpreters run a program that is a file, an argument or their input.
var interpreters = words(`
	python python2 python3 pypy pypy3 node nodejs deno bun perl ruby php lua luajit tclsh wish awk gawk mawk nawk sed jq
	R Rscript julia ghci runghc scala groovy java ocaml guile racket sbcl swift osascript make gmake ninja git-shell psql
	mysql sqlite3 gnuplot octave bc dc m4 tee tar rsync scp sftp curl wget
	docker podman nerdctl kubectl systemctl vi vim nvim emacs ed less more man`)

// steeringOptions are parts of option names that make a program run another
// one, take other settings, or write or read a file of one's choice.
var steeringOptions = []string{
	"exec", "command", "cmd", "pager", "editor", "shell", "rsh", "pack", "ext-diff", "textconv", "vettool", "compress",
	"checkpoint", "hook", "eval", "config", "output", "loader", "interpreter", "no-index", "helper", "runner", "wrapper",
	"expr", "require", "import", "rcfile", "delete", "fprint", "fls", "okdir",
}

func words(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}

// runsOthers reports whether a program's own arguments are a command, or
// whether it changes the shell itself.
func runsOthers(program string) bool { return runners[programName(program)] }

// interprets reports whether a program runs what it reads.
func interprets(program string) bool { return interpreters[programName(program)] }

// programName is the base name of a canonical word, as it decides what runs.
func programName(word string) string {
	return strings.TrimSuffix(path.Base(strings.ReplaceAll(dequote(word), `\`, "/")), ".exe")
}

// families are programs whose first words name an action that stays the same
// whatever follows, so that "always" may mean all of its uses. The number is
// how many words a prefix has.
var families = map[string]map[string]int{
	"git": {
		"status": 2, "diff": 2, "log": 2, "show": 2, "blame": 2, "ls-files": 2, "rev-parse": 2, "describe": 2,
		"add": 2, "commit": 2,
	},
	"go":     {"test": 2, "build": 2, "vet": 2, "fmt": 2, "list": 2, "doc": 2, "version": 2, "run": 3},
	"cargo":  {"test": 2, "build": 2, "check": 2, "clippy": 2, "fmt": 2, "doc": 2},
	"npm":    {"test": 2, "ls": 2, "run": 3, "run-script": 3, "exec": 3},
	"pnpm":   {"test": 2, "run": 3, "exec": 3},
	"yarn":   {"test": 2, "run": 3},
	"dotnet": {"build": 2, "test": 2},
	"npx":    {"": 2},
}

// prefixLength is how many words of a command "always" may cover the uses of;
// 0 when only the command itself.
func prefixLength(words []string) int {
	family := families[words[0]]
	if family == nil || len(words) < 2 {
		return 0
	}
	n, ok := family[words[1]]
	if !ok {
		n = family[""]
	}
	if n == 0 || len(words) < n {
		return 0
	}
	for _, w := range words[:n] {
		if strings.HasPrefix(w, "-") || active(w) {
			return 0
		}
	}
	return n
}
