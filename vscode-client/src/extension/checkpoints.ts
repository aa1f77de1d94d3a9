import * as vscode from 'vscode';
import type { Connection } from './connection';

/** What agent-ls.restoreCheckpoint answers in a dry run. */
interface Foreseen {
  readonly changes?: readonly ForeseenChange[];
  readonly refused?: readonly { readonly path?: string; readonly why: string }[];
}

export interface ForeseenChange {
  readonly path: string;
  readonly change: 'create' | 'update' | 'delete';
  readonly added: number;
  readonly removed: number;
}

/** How many files the question lists. */
const listed = 20;

const restore = 'Restore';
const show = 'Show Changes';

/** Goes back to a checkpoint, once the user has seen what that changes. */
export async function restoreCheckpoint(connection: Connection, checkpoint: string): Promise<void> {
  const { changes = [], refused = [] } = await connection.command<Foreseen>('agent-ls.restoreCheckpoint', checkpoint, { dryRun: true });
  const lost = refused.map(({ path, why }) => `${path ? `${vscode.workspace.asRelativePath(path)}: ` : ''}${why}`);
  if (changes.length === 0) {
    void vscode.window.showInformationMessage(['Every file is as it was before this prompt.', ...lost].join(' '));
    return;
  }
  const question = `Restore the checkpoint? ${changes.length === 1 ? '1 file changes' : `${changes.length} files change`}.`;
  const detail = [...describe(changes), ...lost.map((line) => `Not restored: ${line}`), '', 'A checkpoint of what the files hold now is made first.'];
  let chosen = await vscode.window.showWarningMessage(question, { modal: true, detail: detail.join('\n') }, restore, show);
  if (chosen === show) {
    await showChanges(checkpoint, changes);
    chosen = await vscode.window.showWarningMessage(question, restore);
  }
  if (chosen === restore) {
    const done = await connection.command<{ files: string[] }>('agent-ls.restoreCheckpoint', checkpoint);
    void vscode.window.setStatusBarMessage(`Restored ${done.files.length === 1 ? '1 file' : `${done.files.length} files`}`, 5000);
  }
}

/** A line for each file: what happens to it and how many lines come and go. */
export function describe(changes: readonly ForeseenChange[]): string[] {
  const words = { create: 'comes back', update: 'changes', delete: 'is deleted' };
  const lines = changes
    .slice(0, listed)
    .map(({ path, change, added, removed }) => `${vscode.workspace.asRelativePath(path)} ${words[change]}: +${added} −${removed}`);
  return changes.length > listed ? [...lines, `and ${changes.length - listed} more`] : lines;
}

/** Compares what files hold now with what they would hold. */
async function showChanges(checkpoint: string, changes: readonly ForeseenChange[]): Promise<void> {
  const resources = changes.map(({ path, change }) => {
    const now = vscode.Uri.file(path);
    const then = vscode.Uri.from({ scheme: 'agent-ls', path: `/checkpoint/${checkpoint}${now.path}` });
    return [now, change === 'create' ? undefined : now, change === 'delete' ? undefined : then];
  });
  await vscode.commands.executeCommand('vscode.changes', 'What restoring the checkpoint changes', resources);
}
