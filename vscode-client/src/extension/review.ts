import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import type { ReviewHunk, ReviewParams } from '../shared/acp';
import type { ReviewedFile } from '../shared/messages';
import type { Connection } from './connection';

interface Reviewed {
  readonly uri: vscode.Uri;
  readonly version: number | null;
  readonly hunks: readonly ReviewHunk[];
}

/**
 * Review is what the server says is pending, and the decisions that the user
 * makes about it. Hunks are known by their ids alone; where they are now is
 * told anew after each change of a document.
 */
export class Review implements vscode.Disposable {
  private readonly files = new Map<string, Reviewed>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri | undefined>();
  /** A file's hunks are others; undefined: all files. */
  readonly onChange = this.changed.event;

  constructor(private readonly connection: Connection) {}

  listen(client: LanguageClient): void {
    client.onNotification('agent-ls/review', (p: ReviewParams) => this.take(p));
  }

  /** Forgets everything, before a server that starts tells it again. */
  clear(): void {
    this.files.clear();
    this.changed.fire(undefined);
  }

  private take({ uri, version, hunks }: ReviewParams): void {
    const at = vscode.Uri.parse(uri, true);
    if (hunks.length === 0) {
      this.files.delete(at.toString());
    } else {
      this.files.set(at.toString(), { uri: at, version, hunks });
    }
    this.changed.fire(at);
  }

  hunks(uri: vscode.Uri): readonly ReviewHunk[] {
    return this.files.get(uri.toString())?.hunks ?? [];
  }

  /** The files with hunks, sorted by path. */
  get pending(): Reviewed[] {
    return [...this.files.values()].sort((a, b) => a.uri.path.localeCompare(b.uri.path));
  }

  get reviewed(): ReviewedFile[] {
    return this.pending.map(({ uri, hunks }) => ({ path: uri.fsPath, hunks }));
  }

  async decide(keep: boolean, ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      await this.connection.command(keep ? 'agent-ls.keepHunk' : 'agent-ls.undoHunk', id);
    }
  }

  async decideFile(keep: boolean, uri: vscode.Uri): Promise<void> {
    await this.connection.command(keep ? 'agent-ls.keepFile' : 'agent-ls.undoFile', uri.toString());
  }

  async decideAll(keep: boolean): Promise<void> {
    await this.connection.command(keep ? 'agent-ls.keepAll' : 'agent-ls.undoAll');
  }

  async undoDecision(): Promise<void> {
    await this.connection.command('agent-ls.undoDecision');
  }

  dispose(): void {
    this.changed.dispose();
  }
}

/** The text of a file before agents changed it. */
export function baseOf(uri: vscode.Uri): vscode.Uri {
  return vscode.Uri.from({ scheme: 'agent-ls', path: `/review/base${uri.path}` });
}

export function rangeOfHunk({ range: { start, end } }: ReviewHunk): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

/** The last line that a hunk covers; a pure removal covers the one it is before. */
export function lastLine({ range: { start, end } }: ReviewHunk): number {
  return end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
}

/** The hunk at a line, else the nearest one in a direction, wrapping around. */
export function hunkFrom(hunks: readonly ReviewHunk[], line: number, direction: 1 | -1): ReviewHunk | undefined {
  const sorted = [...hunks].sort((a, b) => a.range.start.line - b.range.start.line);
  const next =
    direction > 0
      ? sorted.find((h) => h.range.start.line > line)
      : sorted.findLast((h) => lastLine(h) < line);
  return next ?? (direction > 0 ? sorted[0] : sorted.at(-1));
}

export function hunkAt(hunks: readonly ReviewHunk[], line: number): ReviewHunk | undefined {
  return hunks.find((h) => h.range.start.line <= line && line <= lastLine(h));
}
