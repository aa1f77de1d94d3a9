package agent

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// instructionsFile is where a project says what agents should know.
const instructionsFile = "AGENTS.md"

// maxInstructions is how much of one file the model gets, in bytes.
const maxInstructions = 32 << 10

// projectInstructions returns what the project tells agents, the nearest file
// first: that of the working folder, those of the folders above it up to the
// repository's, those of the further roots. Text that is not saved yet counts.
func (s *Session) projectInstructions(ctx context.Context) string {
	var b strings.Builder
	for _, dir := range s.instructionFolders() {
		path := filepath.Join(dir, instructionsFile)
		h, err := s.view.Open(ctx, path)
		if err != nil || !h.Exists {
			continue // an unreadable file is as good as none
		}
		text := strings.TrimSpace(h.Content())
		if len(text) > maxInstructions {
			text = text[:wholeRunes(text[:maxInstructions])] + "\n[The rest of the file is left out: it is over 32 KiB.]"
		}
		if text != "" {
			fmt.Fprintf(&b, "\n\n<instructions file=%q>\n%s\n</instructions>", path, text)
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "Instructions of the project. Where two contradict each other, the first one counts; what the user asks for counts more." + b.String()
}

// instructionFolders lists the folders to look into, the nearest first.
func (s *Session) instructionFolders() []string {
	folders := []string{s.header.Cwd}
	if root, ok := repository(s.header.Cwd); ok {
		for dir := s.header.Cwd; dir != root; {
			dir = filepath.Dir(dir)
			folders = append(folders, dir)
		}
	}
	return append(folders, s.header.Roots...)
}

// repository finds the folder of the repository that dir is in.
func repository(dir string) (root string, ok bool) {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", false
		}
		dir = parent
	}
}
