import * as assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Testing } from '../../src/extension/extension';
import type { Session } from '../../src/extension/session';
import type { CallItem } from '../../src/shared/transcript';

/** What the tests of the extension host share: the real server, the real editor. */

export type Parts = NonNullable<Testing['testing']>;

/** How long something may take, in milliseconds: long, for a busy machine. */
const patience = 90_000;
const pause = 20;

/** Waits until a condition holds; the last error or value is told when it never does. */
export async function until<T>(what: string, condition: () => T | Promise<T>): Promise<Exclude<T, false | '' | 0 | null | undefined>> {
  const end = Date.now() + patience;
  let last: unknown;
  while (Date.now() < end) {
    try {
      const value = await condition();
      if (value) {
        return value as Exclude<T, false | '' | 0 | null | undefined>;
      }
      last = value;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  throw new Error(`never came: ${what} (last: ${String(last)})`);
}

export async function api(): Promise<Testing> {
  const extension = vscode.extensions.getExtension<Testing>('agent-ls.agent-ls');
  assert.ok(extension, 'the extension is not there');
  return extension.activate();
}

export async function parts(): Promise<Parts> {
  const found = (await api()).testing;
  assert.ok(found, 'not in test mode');
  const state = await until('the server', () => found.connection.current.kind !== 'starting' && found.connection.current);
  assert.equal(state.kind, 'ready', state.kind === 'failed' ? state.problem : '');
  return found;
}

export const root = (): string => vscode.workspace.workspaceFolders![0]!.uri.fsPath;

/** Makes a file in the first folder, or at an absolute path. */
export async function file(name: string, content: string): Promise<vscode.Uri> {
  const uri = vscode.Uri.file(path.resolve(root(), name));
  await fs.mkdir(path.dirname(uri.fsPath), { recursive: true });
  await fs.writeFile(uri.fsPath, content);
  return uri;
}

export const disk = (uri: vscode.Uri): Promise<string> => fs.readFile(uri.fsPath, 'utf8');

/** A new session in a mode. */
export async function session(mode: string): Promise<Session> {
  const { sessions } = await parts();
  const made = await sessions.create();
  await sessions.setOption('mode', mode);
  return made;
}

/** Runs a prompt to its end. */
export async function prompt(text: string): Promise<string> {
  return (await (await api()).prompt(text)).stopReason;
}

export function calls(of: Session): CallItem[] {
  return of.transcript.items.filter((item): item is CallItem => item.type === 'call');
}

export function textOf(call: CallItem): string {
  return call.content.map((c) => (c.type === 'content' && c.content.type === 'text' ? c.content.text : '')).join('\n');
}

/** Answers the next question with an option of a kind, once it takes answers. */
export async function answer(of: Session, kind: string): Promise<void> {
  const question = await until('a question', () => of.permissions[0]);
  const option = question.options.find((o) => o.kind === kind);
  assert.ok(option, `no option ${kind}`);
  await until('the answer to be taken', () => {
    of.answer(question.id, option.optionId);
    return of.permissions.every((p) => p.id !== question.id);
  });
}

export async function open(uri: vscode.Uri): Promise<vscode.TextEditor> {
  return vscode.window.showTextDocument(uri, { preview: false });
}

/** Types at a place as a user does, through the editor. */
export async function type(editor: vscode.TextEditor, line: number, text: string): Promise<void> {
  const at = editor.document.lineAt(line).range.end;
  editor.selection = new vscode.Selection(at, at);
  await vscode.commands.executeCommand('type', { text });
}

export async function closeAll(): Promise<void> {
  for (const document of vscode.workspace.textDocuments.filter((d) => d.isDirty)) {
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.files.revert');
  }
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
}
