import * as path from 'node:path';
import * as vscode from 'vscode';
import type { AgentTool } from './api';
import { folder } from './sessions';
import { rangeOf } from './show';

/** LastEditor is the text editor that the user was in last, also while a chat tab is active. */
export class LastEditor implements vscode.Disposable {
  private last = vscode.window.activeTextEditor;
  private readonly listener = vscode.window.onDidChangeActiveTextEditor((editor) => {
    this.last = editor ?? this.last;
  });

  /** Throws what the model should read when there is none. */
  get(): vscode.TextEditor {
    const editor = this.last;
    if (!editor || !vscode.window.visibleTextEditors.includes(editor)) {
      throw new Error('No text editor is open. Use open_document first, or ask the user to open a file.');
    }
    return editor;
  }

  dispose(): void {
    this.listener.dispose();
  }
}

const schema = (properties: object, required: string[] = []) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

/** The tools of the editor itself. */
export function editorTools(editor: LastEditor): AgentTool[] {
  return [
    {
      name: 'get_selected_text',
      description: "Returns the text that is selected in the user's editor, with its file and lines (1-based).",
      argsSchema: schema({}),
      presentation: { title: 'Get the selected text', kind: 'read' },
      invoke: () => selectedText(editor.get()),
    },
    {
      name: 'replace_selection',
      description: "Replaces the text that is selected in the user's editor. The change is not saved; the user can undo it.",
      argsSchema: schema({ text: { type: 'string', description: 'The new text.' } }, ['text']),
      presentation: { title: 'Replace the selection', kind: 'edit' },
      invoke: ({ text }) => replaceSelection(editor.get(), String(text)),
    },
    {
      name: 'get_diagnostics',
      description: "Returns the editor's errors and warnings: of one file, or of all files.",
      argsSchema: schema({ path: { type: 'string', description: 'A file; all files when absent.' } }),
      presentation: { title: 'Get diagnostics', kind: 'read' },
      invoke: ({ path: file }) => diagnostics(typeof file === 'string' ? fileUri(file) : undefined),
    },
    {
      name: 'open_document',
      description: "Opens a file in the user's editor, without taking the focus, and shows a line (1-based).",
      argsSchema: schema({ path: { type: 'string' }, line: { type: 'integer', minimum: 1 } }, ['path']),
      presentation: { title: 'Open {path}', kind: 'read' },
      invoke: ({ path: file, line }) => openDocument(fileUri(String(file)), typeof line === 'number' ? line : 1),
    },
    {
      name: 'list_open_editors',
      description: 'Lists the files that are open in tabs of the editor, and which are unsaved or active.',
      argsSchema: schema({}),
      presentation: { title: 'List open editors', kind: 'read' },
      invoke: () => ({ editors: openEditors() }),
    },
  ];
}

function fileUri(file: string): vscode.Uri {
  return vscode.Uri.file(path.isAbsolute(file) ? file : path.join(folder(), file));
}

export function selectedText({ document, selection }: vscode.TextEditor) {
  return {
    path: document.uri.fsPath,
    start_line: selection.start.line + 1,
    end_line: selection.end.line + 1,
    text: document.getText(selection),
  };
}

async function replaceSelection({ document, selection }: vscode.TextEditor, text: string) {
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, selection, text);
  if (!(await vscode.workspace.applyEdit(edit))) {
    throw new Error('The editor did not apply the change. Read the selection again and retry.');
  }
  return { path: document.uri.fsPath, start_line: selection.start.line + 1 };
}

export function diagnostics(uri?: vscode.Uri) {
  const all = uri ? [[uri, vscode.languages.getDiagnostics(uri)] as const] : vscode.languages.getDiagnostics();
  const problems = all.flatMap(([at, list]) =>
    list.map((d) => ({
      path: at.fsPath,
      line: d.range.start.line + 1,
      severity: vscode.DiagnosticSeverity[d.severity].toLowerCase(),
      source: d.source,
      message: d.message,
    })),
  );
  return { problems };
}

async function openDocument(uri: vscode.Uri, line: number) {
  const document = await vscode.workspace.openTextDocument(uri);
  const editor = await vscode.window.showTextDocument(document, { preview: false, preserveFocus: true });
  editor.revealRange(rangeOf(line), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  return { path: uri.fsPath, lines: document.lineCount };
}

function openEditors() {
  return vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .filter((tab) => tab.input instanceof vscode.TabInputText)
    .map((tab) => ({
      path: (tab.input as vscode.TabInputText).uri.fsPath,
      ...(tab.isDirty && { unsaved: true }),
      ...(tab.isActive && { active: true }),
    }));
}
