package terminal

import (
	_ "embed"
	"os"
	"path/filepath"
)

// DemoScript is the script of the demonstration, as the script model plays
// it.
//
//go:embed demo.json
var DemoScript []byte

// demoFiles is the workspace that the demonstration works on.
var demoFiles = map[string]string{
	"README.md": "# Greeter\n\nSays hello.\n",
	"greet.sh":  "#!/bin/sh\n# Says hello.\n\nname=${1:-world}\n\necho \"Hello, $name!\"\n",
	"words.txt": "hello\ngoodbye\n",
}

// DemoWorkspace writes the demonstration's files into dir.
func DemoWorkspace(dir string) error {
	for name, text := range demoFiles {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
