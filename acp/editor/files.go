package editor

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"go.lsp.dev/jsonrpc2"

	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/workspace"
)

const (
	// maxText is the largest text that is asked of or given to a client, in
	// bytes; larger files are the disk's.
	maxText = 8 << 20
	// readPatience bounds the wait for a client's text; then the disk counts.
	readPatience = 10 * time.Second
	bom          = "\uFEFF"
)

// digest stands for a text.
type digest [sha256.Size]byte

// ReadText returns the client's unsaved text of a file (acp.md §10). The whole
// file is asked for, since clients disagree about line and limit. A text that
// equals the disk's, or that was the disk's when it was last seen (a clean
// buffer that lags behind, field report 40), is not unsaved: the disk counts.
// So it does when the client cannot answer.
func (e *Editor) ReadText(ctx context.Context, path, disk string) (text string, ok bool, err error) {
	if !e.caps.FS.ReadTextFile || !isText(disk) {
		return "", false, nil
	}
	buffer, ok := e.buffer(ctx, path)
	if ctx.Err() != nil {
		return "", false, context.Cause(ctx)
	}
	if !ok {
		return "", false, nil
	}
	buffer = asSaved(buffer, disk)
	sum := digest(sha256.Sum256([]byte(buffer)))
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case buffer == disk:
		e.bases[path] = sum
		return "", false, nil
	case e.bases[path] == sum:
		return "", false, nil
	default:
		return buffer, true, nil
	}
}

// buffer asks for the client's text; false when it does not give any.
func (e *Editor) buffer(ctx context.Context, path string) (text string, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, readPatience)
	defer cancel()
	var response acp.ReadTextFileResponse
	err := e.call(ctx, acp.MethodReadTextFile, acp.ReadTextFileRequest{SessionID: e.sessionID(), Path: path}, &response)
	if err != nil {
		e.logger.Debug("the client does not give the text of a file", "path", path, "error", err)
	}
	return response.Content, err == nil
}

// isText says whether a client can hold the bytes of a file: it is given text
// alone.
func isText(s string) bool {
	return len(s) <= maxText && utf8.ValidString(s) && strings.IndexByte(s, 0) < 0
}

// asSaved is a client's text as it would be saved over disk: clients drop the
// byte order mark, normalise line ends, and some leave out the last one.
func asSaved(text, disk string) string {
	if text == disk || text+"\n" == disk {
		return disk
	}
	if strings.HasPrefix(disk, bom) && !strings.HasPrefix(text, bom) {
		text = bom + text
	}
	if strings.Contains(disk, "\r\n") && !strings.Contains(text, "\r") {
		if unix := strings.ReplaceAll(disk, "\r\n", "\n"); text == unix || text+"\n" == unix {
			return disk
		}
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// Apply writes a file through the client, once. It does not take what clients
// damage (line ends other than \n, byte order marks, bytes that are no UTF-8):
// such a file is written to the disk, unless it has unsaved text.
func (e *Editor) Apply(ctx context.Context, f workspace.FileWrite) (workspace.Outcome, error) {
	if !e.caps.FS.WriteTextFile || !survives(f.After) || !survives(f.Before.Content()) {
		return workspace.Declined, nil
	}
	path := f.Path
	if f.Before.Path != "" {
		path = f.Before.Path // as it was asked for, which the client may have open
	}
	request := acp.WriteTextFileRequest{SessionID: e.sessionID(), Path: path, Content: f.After}
	err := e.call(ctx, acp.MethodWriteTextFile, request, nil)
	var refused *jsonrpc2.Error
	switch {
	case err == nil:
		return workspace.Taken, nil
	case errors.As(err, &refused):
		return workspace.Declined, fmt.Errorf("the editor refused the write, nothing was changed: %s", acp.OneLine(refused.Message))
	default:
		return workspace.Declined, fmt.Errorf("no answer of the editor to the write, so whether the file changed is not known: %w", err)
	}
}

// survives says whether a text is the same after a client has saved it.
func survives(s string) bool {
	return isText(s) && !strings.HasPrefix(s, bom) && strings.IndexByte(s, '\r') < 0
}
