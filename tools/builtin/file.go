package builtin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/workspace"
)

// pathSpellings are the other names of file_path (contract §4).
var pathSpellings = map[string]string{"path": "file_path", "filePath": "file_path"}

// prepareFile accepts the other spellings of a file tool's parameters and
// writes its path plainly: without a leading @ and as a path, not a URI.
func prepareFile(more map[string]string) func(json.RawMessage) (json.RawMessage, error) {
	all := map[string]string{}
	for _, m := range []map[string]string{pathSpellings, more} {
		for k, v := range m {
			all[k] = v
		}
	}
	rename := tools.Aliases(all)
	return func(raw json.RawMessage) (json.RawMessage, error) {
		raw, err := rename(raw)
		if err != nil {
			return nil, err
		}
		return rewriteString(raw, "file_path", plainPath)
	}
}

// rewriteString replaces a string member of an object by f of it; anything
// else is left for validation to judge.
func rewriteString(raw json.RawMessage, key string, f func(string) string) (json.RawMessage, error) {
	members, ok := decoded[map[string]json.RawMessage](raw)
	if !ok {
		return raw, nil
	}
	s, ok := decoded[string](members[key])
	if !ok || f(s) == s {
		return raw, nil
	}
	members[key] = mustJSON(f(s))
	return mustJSON(members), nil
}

// decoded is raw as a T, where it is one.
func decoded[T any](raw json.RawMessage) (v T, ok bool) {
	ok = json.Unmarshal(raw, &v) == nil
	return v, ok
}

// plainPath takes the mention sign and the file: scheme away from a path.
func plainPath(p string) string {
	p = strings.TrimPrefix(p, "@")
	if !strings.HasPrefix(p, "file:") {
		return p
	}
	u, err := url.Parse(p)
	if err != nil || u.Path == "" {
		return p
	}
	return filepath.FromSlash(u.Path)
}

// mustJSON encodes what cannot fail to encode, without HTML escapes.
func mustJSON(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("builtin: %v", err))
	}
	return bytes.TrimSpace(b.Bytes())
}

// invalidArgs refuses arguments that the schema alone cannot.
func invalidArgs(format string, args ...any) error {
	return &tools.Error{Name: "ToolArgsError", Code: tools.CodeInvalidArgs, Message: "invalid arguments: " + fmt.Sprintf(format, args...),
		Hint: "Correct the arguments and call the tool again"}
}

func notFound(path string) error {
	return &workspace.Error{Code: workspace.FSNotFound, Path: path, Message: "File not found: " + path,
		Hint: "Use glob or ls to find the right path"}
}

func notText(path, encoding string) error {
	return &workspace.Error{Code: workspace.FSNotText, Path: path, Message: fmt.Sprintf("%s is not text this tool can handle (%s)", path, encoding),
		Hint: "Use a command that understands its format"}
}

// display is how results name a file: relative to the working folder when
// inside it.
func display(v *workspace.View, path string) string {
	abs, err := v.Abs(path)
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(v.Cwd(), abs); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return abs
}
