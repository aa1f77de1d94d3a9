package conformance

import (
	"fmt"
	"strings"
)

// args are the arguments of a tool.
type args = map[string]any

// tool is a line that calls a tool (contract §2).
func tool(name string, a args) string { return "/" + name + " " + encode(a) }

// all joins the lines of a prompt.
func all(lines ...string) string { return strings.Join(lines, "\n") }

// Calls that the cases use; edit and patched read the file first, as an agent
// must.
func read(file string) string { return tool("read", args{"file_path": file}) }

func write(file, content string) string {
	return tool("write", args{"file_path": file, "content": content})
}

func replaceText(file, from, to string) string {
	return tool("edit", args{"file_path": file, "old_string": from, "new_string": to})
}

func edit(file, from, to string) string { return all(read(file), replaceText(file, from, to)) }

func overwrite(file, content string) string { return all(read(file), write(file, content)) }

// patch is a call of apply_patch with the lines between its marks.
func patch(lines ...string) string {
	return tool("apply_patch", args{"patch": all(append(append([]string{"*** Begin Patch"}, lines...), "*** End Patch", "")...)})
}

func bash(command string) string { return tool("bash", args{"command": command}) }

// numbered is n lines "WORD 1" and so on.
func numbered(n int, word, eol string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s %d%s", word, i+1, eol)
	}
	return b.String()
}
