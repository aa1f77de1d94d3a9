package permission

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/agent-ls/agent-ls/tools"
)

// sensitiveNames are patterns of base names of files that hold secrets or
// steer programs (contract §3), in lower case.
var sensitiveNames = []string{
	".env*",
	"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", "authorized_keys",
	"*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.ppk", "*.jks", "*.keystore", "*.kdbx", "*.asc.key",
	".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".my.cnf", ".htpasswd", ".git-credentials", ".vault-token",
	workspaceConfig,
}

// workspaceConfig is our own configuration file in a workspace (contract §8).
const workspaceConfig = ".agent-ls.toml"

// sensitiveFolders are names of folders all of whose files are sensitive.
var sensitiveFolders = []string{".ssh", ".gnupg"}

// sensitiveEnds are files that are sensitive only in their folder.
var sensitiveEnds = []string{".aws/credentials", ".docker/config.json", ".kube/config", ".config/gh/hosts.yml", ".cargo/credentials.toml", ".cargo/credentials"}

// gitControl are the files of a repository folder that make git run programs
// or look elsewhere for such files.
var gitControl = []string{"config", "config.worktree", "commondir", "gitdir"}

// Sensitive reports whether a path names a file that is asked about even
// inside the workspace: environment files, keys and credentials, a
// repository's configuration and hooks, agent-ls's own configuration. Only the
// name is looked at; case does not count.
func Sensitive(name string) bool {
	parts := strings.Split(strings.ToLower(filepath.ToSlash(name)), "/")
	for i := range parts {
		parts[i] = plainName(parts[i])
	}
	base, whole := parts[len(parts)-1], strings.Join(parts, "/")
	for _, pattern := range sensitiveNames {
		if ok, _ := path.Match(pattern, base); ok {
			return true
		}
	}
	for _, end := range sensitiveEnds {
		if whole == end || strings.HasSuffix(whole, "/"+end) {
			return true
		}
	}
	for i, part := range parts {
		if contains(sensitiveFolders, part) || part == ".git" && gitSensitive(parts[i+1:]) {
			return true
		}
	}
	return false
}

// gitSensitive judges what follows a component .git.
func gitSensitive(rest []string) bool {
	return len(rest) > 0 && (contains(rest, "hooks") || contains(gitControl, rest[len(rest)-1]))
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

func contains(list []string, s string) bool {
	for _, have := range list {
		if have == s {
			return true
		}
	}
	return false
}

// sensitive judges a place by the path asked and by the real one. Writing to
// .git itself counts: as a file it says where git finds its configuration.
func (p *Policy) sensitive(kind tools.AccessKind, at place) bool {
	for _, name := range []string{at.abs, at.real} {
		if Sensitive(name) || kind == tools.AccessEdit && strings.EqualFold(plainName(filepath.Base(name)), ".git") {
			return true
		}
		for _, protected := range p.Protected {
			if protected != "" && p.underProtected(protected, name) {
				return true
			}
		}
	}
	return false
}

func (p *Policy) underProtected(protected, name string) bool {
	for _, dir := range []string{filepath.Clean(protected), p.place(protected).real} {
		if _, ok := below(fold(dir), fold(name)); ok {
			return true
		}
	}
	return false
}
