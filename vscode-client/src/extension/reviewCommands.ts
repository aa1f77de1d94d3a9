import * as vscode from 'vscode';
import type { Changes } from './changes';
import { baseOf, hunkAt, hunkFrom, rangeOfHunk, type Review } from './review';

/**
 * Commands of the review. They act on the file that they are called with, as
 * the Changes view and editor titles do, else on the active editor.
 */
export function reviewCommands(review: Review, changes: Changes): vscode.Disposable {
  const register = vscode.commands.registerCommand;
  return vscode.Disposable.from(
    register('agentLs.keepHunk', () => decideAtCaret(review, true)),
    register('agentLs.undoHunk', () => decideAtCaret(review, false)),
    register('agentLs.keepFile', (target) => withFile(target, (uri) => review.decideFile(true, uri))),
    register('agentLs.undoFile', (target) => withFile(target, (uri) => review.decideFile(false, uri))),
    register('agentLs.keepAll', () => review.decideAll(true)),
    register('agentLs.undoAll', () => review.decideAll(false)),
    register('agentLs.undoDecision', () => review.undoDecision()),
    register('agentLs.nextChange', () => go(review, 1)),
    register('agentLs.previousChange', () => go(review, -1)),
    register('agentLs.openDiff', (target) => withFile(target, openDiff)),
    register('agentLs.openAllDiffs', () => openAllDiffs(review)),
    contextOf(review),
    changes,
  );
}

/** Keeps the context that shows the editor's actions. */
function contextOf(review: Review): vscode.Disposable {
  const update = () => {
    const uri = vscode.window.activeTextEditor?.document.uri;
    void vscode.commands.executeCommand('setContext', 'agentLs.editorHasChanges', !!uri && review.hunks(uri).length > 0);
    void vscode.commands.executeCommand('setContext', 'agentLs.hasChanges', review.pending.length > 0);
  };
  return vscode.Disposable.from(review.onChange(update), vscode.window.onDidChangeActiveTextEditor(update));
}

async function withFile(target: unknown, act: (uri: vscode.Uri) => unknown): Promise<void> {
  const given = target instanceof vscode.Uri ? target : (target as { uri?: vscode.Uri } | undefined)?.uri;
  const uri = given ?? vscode.window.activeTextEditor?.document.uri;
  if (uri) {
    await act(uri);
  }
}

async function decideAtCaret(review: Review, keep: boolean): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const hunk = editor && hunkAt(review.hunks(editor.document.uri), editor.selection.active.line);
  if (!hunk) {
    void vscode.window.setStatusBarMessage('No change of the agent at the caret', 3000);
    return;
  }
  await review.decide(keep, [hunk.id]);
}

/** Goes to the next change in the file, else in the next file. */
async function go(review: Review, direction: 1 | -1): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const hunks = editor ? review.hunks(editor.document.uri) : [];
  if (editor && hunks.length > 0) {
    const hunk = hunkFrom(hunks, editor.selection.active.line, direction)!;
    const { start } = rangeOfHunk(hunk);
    editor.selection = new vscode.Selection(start, start);
    editor.revealRange(new vscode.Range(start, start), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    return;
  }
  const file = direction > 0 ? review.pending[0] : review.pending.at(-1);
  if (file) {
    const { start } = rangeOfHunk(direction > 0 ? file.hunks[0]! : file.hunks.at(-1)!);
    await vscode.window.showTextDocument(file.uri, { selection: new vscode.Range(start, start) });
  }
}

/** Shows a file beside what it was before agents changed it. */
export async function openDiff(uri: vscode.Uri): Promise<void> {
  const name = vscode.workspace.asRelativePath(uri);
  await vscode.commands.executeCommand('vscode.diff', baseOf(uri), uri, `${name} (changes of the agent)`);
}

async function openAllDiffs(review: Review): Promise<void> {
  const resources = review.pending.map(({ uri }) => [uri, baseOf(uri), uri]);
  await vscode.commands.executeCommand('vscode.changes', 'Changes of the agent', resources);
}
