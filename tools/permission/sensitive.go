package permission

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/agent-ls/agent-ls/tools"
)

// Files that hold secrets or steer programs (contract §3), in lower case: by
// the beginning of their name, by its extension, and by the whole of it.
const sensitivePrefix = ".env"

var (
	sensitiveExtensions = words(".pem .key .p8 .p12 .pfx .ppk .jks .keystore .kdbx")
	sensitiveNames      = words(`
		id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk authorized_keys
		.netrc _netrc .npmrc .pypirc .pgpass .my.cnf .htpasswd .git-credentials .vault-token ` + workspaceConfig)
)

// workspaceConfig is our own configuration file in a workspace (contract §8).
const workspaceConfig = ".agent-ls.toml"

// sensitiveFolders are names of folders all of whose files are sensitive.
var sensitiveFolders = words(".ssh .gnupg")

// sensitiveEnds are files that are sensitive only in their folder.
var sensitiveEnds = [][]string{
	{".aws", "credentials"}, {".docker", "config.json"}, {".kube", "config"}, {".config", "gh", "hosts.yml"},
	{".cargo", "credentials.toml"}, {".cargo", "credentials"},
}

// gitControl are the files of a repository folder that make git run programs
// or look elsewhere for such files.
var gitControl = words("config config.worktree commondir gitdir")

// Sensitive reports whether a path names a file that is asked about even
// inside the workspace: environment files, keys and credentials, a
// repository's configuration and hooks, agent-ls's own configuration. Only the
// name is looked at; case does not count.
func Sensitive(name string) bool {
	parts := strings.Split(strings.ToLower(filepath.ToSlash(name)), "/")
	for i := range parts {
		parts[i] = plainName(parts[i])
		if sensitiveFolders[parts[i]] {
			return true
		}
	}
	base := parts[len(parts)-1]
	if strings.HasPrefix(base, sensitivePrefix) || sensitiveExtensions[path.Ext(base)] || sensitiveNames[base] {
		return true
	}
	if git := slices.Index(parts, ".git"); git >= 0 && gitSensitive(parts[git+1:]) {
		return true
	}
	for _, end := range sensitiveEnds {
		if len(parts) >= len(end) && slices.Equal(parts[len(parts)-len(end):], end) {
			return true
		}
	}
	return false
}

// gitSensitive judges what follows a component .git.
func gitSensitive(rest []string) bool {
	return len(rest) > 0 && (slices.Contains(rest, "hooks") || gitControl[rest[len(rest)-1]])
}

// plainName removes what some systems ignore in a name (trailing dots and
// spaces, NTFS streams) and expands git's short name.
func plainName(part string) string {
	if strings.Trim(part, ".") == "" {
		return part
	}
	if i := strings.IndexByte(part, ':'); i > 0 {
		part = part[:i]
	}
	part = strings.TrimRight(part, ". ")
	if part == "git~1" {
		return ".git"
	}
	return part
}

// sensitive judges a place by the path asked and by the real one. Writing to
// .git itself counts: as a file it says where git finds its configuration.
func (p *Policy) sensitive(kind tools.AccessKind, at place) bool {
	for _, name := range []string{at.abs, at.real} {
		if Sensitive(name) || kind == tools.AccessEdit && strings.EqualFold(plainName(filepath.Base(name)), ".git") {
			return true
		}
		if p.underProtected(name) {
			return true
		}
	}
	return false
}

// protectedPaths are the protected paths as given and with their links
// resolved, found out once: they do not move while the program runs.
type protectedPaths struct {
	once sync.Once
	list []string
}

func (p *Policy) underProtected(name string) bool {
	p.protected.once.Do(func() {
		for _, path := range p.Protected {
			if path != "" {
				p.protected.list = append(p.protected.list, fold(filepath.Clean(path)), fold(p.place(path).real))
			}
		}
	})
	name = fold(name)
	for _, path := range p.protected.list {
		if _, ok := below(path, name); ok {
			return true
		}
	}
	return false
}
