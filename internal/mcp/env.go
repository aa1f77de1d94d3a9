package mcp

import (
	"slices"
	"strings"

	"github.com/agent-ls/agent-ls/tools/proc"
)

// inherited are the variables that programs need to run at all: where things
// are, who the user is, the language, how to get out to the network. A name that
// ends with "*" is the beginning of names.
var inherited = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ",
	"TMPDIR", "TEMP", "TMP", "XDG_*",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
	// Windows
	"APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES*", "COMMONPROGRAMFILES*", "SYSTEMDRIVE",
	"SYSTEMROOT", "WINDIR", "COMSPEC", "PATHEXT", "HOMEDRIVE", "HOMEPATH", "USERPROFILE", "USERNAME",
	"USERDOMAIN", "PROCESSOR_ARCHITECTURE", "NUMBER_OF_PROCESSORS", "OS",
}

// environment is what a stdio server sees: the inherited variables of base,
// without secrets and with those that keep commands quiet (proc.Environment),
// and all of its own.
func environment(base, own []string) []string {
	safe := slices.DeleteFunc(slices.Clone(base), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return !inherits(strings.ToUpper(name))
	})
	return proc.Environment(safe, own)
}

func inherits(name string) bool {
	return slices.ContainsFunc(inherited, func(pattern string) bool {
		if prefix, many := strings.CutSuffix(pattern, "*"); many {
			return strings.HasPrefix(name, prefix)
		}
		return name == pattern
	})
}
