import * as vscode from 'vscode';
import type { ReviewHunk } from '../shared/acp';
import { lastLine, type Review } from './review';

/** How much of a removed line is shown beside the text, in UTF-16 units. */
const shownRemoval = 80;

/**
 * Decorations mark the pending hunks in editors: added lines, removed ones as a
 * note at the end of the line and whole on hover, gutter and overview ruler.
 */
export class Decorations implements vscode.Disposable {
  private readonly added: vscode.TextEditorDecorationType;
  private readonly removed: vscode.TextEditorDecorationType;
  private readonly listeners: vscode.Disposable[];

  constructor(
    private readonly review: Review,
    extension: vscode.Uri,
  ) {
    const gutter = (name: string) => vscode.Uri.joinPath(extension, 'media', name);
    this.added = vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      backgroundColor: new vscode.ThemeColor('diffEditor.insertedLineBackground'),
      gutterIconPath: gutter('gutter-added.svg'),
      gutterIconSize: 'contain',
      overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.addedForeground'),
      overviewRulerLane: vscode.OverviewRulerLane.Left,
    });
    this.removed = vscode.window.createTextEditorDecorationType({
      overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.deletedForeground'),
      overviewRulerLane: vscode.OverviewRulerLane.Left,
      after: { margin: '0 0 0 2em', fontStyle: 'italic' },
    });
    this.listeners = [
      review.onChange((uri) => this.paintAll(uri)),
      vscode.window.onDidChangeVisibleTextEditors(() => this.paintAll()),
    ];
  }

  dispose(): void {
    this.added.dispose();
    this.removed.dispose();
    this.listeners.forEach((l) => l.dispose());
  }

  private paintAll(uri?: vscode.Uri): void {
    for (const editor of vscode.window.visibleTextEditors) {
      if (!uri || editor.document.uri.toString() === uri.toString()) {
        this.paint(editor);
      }
    }
  }

  private paint(editor: vscode.TextEditor): void {
    const hunks = this.review.hunks(editor.document.uri);
    const last = editor.document.lineCount - 1;
    const lines = (from: number, to: number) => new vscode.Range(Math.min(from, last), 0, Math.min(to, last), 0);
    editor.setDecorations(
      this.added,
      hunks.filter(adds).map((h) => lines(h.range.start.line, lastLine(h))),
    );
    editor.setDecorations(
      this.removed,
      hunks.filter((h) => h.oldText !== '').map((h) => note(editor.document, h, Math.min(h.range.start.line, last))),
    );
  }
}

function adds({ range: { start, end } }: ReviewHunk): boolean {
  return start.line !== end.line || start.character !== end.character;
}

function note(document: vscode.TextDocument, hunk: ReviewHunk, line: number): vscode.DecorationOptions {
  const lines = hunk.oldText.replace(/\r?\n$/, '').split(/\r?\n/);
  const first = lines[0]!.trim();
  const cut = first.length > shownRemoval ? `${first.slice(0, shownRemoval)}…` : first;
  const more = lines.length > 1 ? `  (${lines.length} lines)` : '';
  const color = new vscode.ThemeColor('gitDecoration.deletedResourceForeground');
  return {
    range: document.lineAt(line).range,
    hoverMessage: hover(lines),
    renderOptions: { after: { contentText: `− ${cut}${more}`, color } },
  };
}

function hover(removed: readonly string[]): vscode.MarkdownString {
  const text = new vscode.MarkdownString('Removed here:\n');
  text.appendCodeblock(removed.map((line) => `-${line}`).join('\n'), 'diff');
  return text;
}
