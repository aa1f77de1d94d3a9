import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';

/**
 * Serves agent-ls/saveDocument: the server wants an edit on disk, so that
 * commands see it. What the editor does on save reaches the server like any
 * other change of the text.
 */
export function servesSaving(client: LanguageClient): void {
  client.onRequest('agent-ls/saveDocument', async ({ uri }: { uri: string }) => {
    const at = vscode.Uri.parse(uri, true).toString();
    const document = vscode.workspace.textDocuments.find((d) => d.uri.toString() === at);
    if (document?.isDirty && !(await document.save())) {
      throw new Error(`${document.uri.fsPath} could not be saved; it may be newer on disk.`);
    }
    return null;
  });
}
