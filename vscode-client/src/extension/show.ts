import * as vscode from 'vscode';

/**
 * The one place that shows documents for the agent or on a click. What the
 * agent does never takes the focus; what the user clicks may.
 */

/** Opens a place that the user asked for. */
export async function openPlace(path: string, line?: number): Promise<void> {
  const uri = vscode.Uri.file(path);
  const stat = await vscode.workspace.fs.stat(uri);
  if (stat.type & vscode.FileType.Directory) {
    await vscode.commands.executeCommand('revealInExplorer', uri);
    return;
  }
  const options: vscode.TextDocumentShowOptions = { preview: true, selection: line ? rangeOf(line) : undefined };
  await vscode.commands.executeCommand('vscode.open', uri, options);
}

/** Shows a line in a preview tab and leaves focus and caret where they are. */
export async function revealQuietly(
  uri: vscode.Uri,
  line: number,
  viewColumn: vscode.ViewColumn,
): Promise<vscode.TextEditor> {
  const document = await vscode.workspace.openTextDocument(uri);
  const editor = await vscode.window.showTextDocument(document, { preview: true, preserveFocus: true, viewColumn });
  editor.revealRange(rangeOf(line), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  return editor;
}

/** The begin of a 1-based line. */
export function rangeOf(line: number): vscode.Range {
  return new vscode.Range(line - 1, 0, line - 1, 0);
}
