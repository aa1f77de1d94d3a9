import * as vscode from 'vscode';
import type { Timed } from '../shared/transcript';
import { rangeOf, revealQuietly } from './show';

export type FollowState = 'off' | 'on' | 'paused';

/** The shortest time between two reveals, in milliseconds: four a second. */
const pace = 250;

interface Place {
  readonly path: string;
  readonly line: number;
}

/** Where the agent is shown. */
interface Stage {
  readonly editor: vscode.TextEditor;
  readonly line: number;
  /** The line has been on screen since; before, the editor is still scrolling. */
  seen: boolean;
}

/**
 * Follow shows where the agent works: off until the user turns it on, latest
 * place first, never with the focus. It pauses when the user scrolls away,
 * types or goes elsewhere in the editor that it uses, until it is turned on
 * again.
 */
export class Follow implements vscode.Disposable {
  private state: FollowState = 'off';
  private next?: Place;
  private timer?: NodeJS.Timeout;
  private last = 0;
  private busy = false;
  private stage?: Stage;
  /** Set while a chat view has the focus, whose group may then be used. */
  chatFocused = false;
  private readonly changed = new vscode.EventEmitter<FollowState>();
  readonly onChange = this.changed.event;
  private readonly highlight = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('editor.rangeHighlightBackground'),
    borderColor: new vscode.ThemeColor('editor.rangeHighlightBorder'),
    overviewRulerColor: new vscode.ThemeColor('editorInfo.foreground'),
    overviewRulerLane: vscode.OverviewRulerLane.Full,
  });
  private readonly listeners = [
    vscode.window.onDidChangeTextEditorVisibleRanges((e) => this.scrolled(e)),
    vscode.window.onDidChangeTextEditorSelection((e) => this.selected(e)),
    vscode.window.onDidChangeActiveTextEditor((editor) => this.switched(editor)),
  ];

  get current(): FollowState {
    return this.state;
  }

  /** Off becomes on, on becomes off, and paused goes on. */
  toggle(): void {
    this.set(this.state === 'on' ? 'off' : 'on');
  }

  set(state: FollowState): void {
    if (state === this.state) {
      return;
    }
    this.state = state;
    if (state !== 'on') {
      this.clear();
    }
    this.changed.fire(state);
  }

  /** Takes the updates of the shown session. */
  take(updates: readonly Timed[]): void {
    if (this.state !== 'on') {
      return;
    }
    for (const { update } of updates) {
      const calls = update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update';
      const place = calls ? update.locations?.at(-1) : undefined;
      if (place) {
        this.next = { path: place.path, line: place.line ?? 1 };
      }
    }
    this.schedule();
  }

  dispose(): void {
    this.clear();
    this.highlight.dispose();
    this.changed.dispose();
    for (const listener of this.listeners) {
      listener.dispose();
    }
  }

  private clear(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.next = undefined;
    this.stage?.editor.setDecorations(this.highlight, []);
    this.stage = undefined;
  }

  private schedule(): void {
    if (!this.next || this.timer || this.busy) {
      return;
    }
    const wait = Math.max(0, this.last + pace - Date.now());
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.reveal();
    }, wait);
  }

  private async reveal(): Promise<void> {
    const place = this.next;
    this.next = undefined;
    if (!place || this.state !== 'on') {
      return;
    }
    this.busy = true;
    this.last = Date.now();
    try {
      await this.show(place);
    } catch {
      // A folder, an image or a file that is gone: there is nothing to show.
    } finally {
      this.busy = false;
      this.schedule();
    }
  }

  private async show(place: Place): Promise<void> {
    const before = this.stage?.editor;
    const editor = await revealQuietly(vscode.Uri.file(place.path), place.line, this.column());
    if (this.state !== 'on') {
      return;
    }
    if (before && before !== editor) {
      before.setDecorations(this.highlight, []);
    }
    editor.setDecorations(this.highlight, [rangeOf(place.line)]);
    this.stage = { editor, line: place.line, seen: visible(editor, place.line) };
  }

  /**
   * Which group is used: the one that was used, else the active one when the
   * user is in the chat or nowhere, else one beside it.
   */
  private column(): vscode.ViewColumn {
    const used = this.stage?.editor.viewColumn;
    if (used) {
      return used;
    }
    const free = this.chatFocused || !vscode.window.activeTextEditor;
    return free ? vscode.ViewColumn.Active : vscode.ViewColumn.Beside;
  }

  private scrolled({ textEditor }: vscode.TextEditorVisibleRangesChangeEvent): void {
    if (!this.stage || textEditor !== this.stage.editor || this.busy) {
      return;
    }
    const inView = visible(textEditor, this.stage.line);
    if (this.stage.seen && !inView) {
      this.set('paused');
    }
    if (this.stage) {
      this.stage.seen ||= inView;
    }
  }

  private selected({ textEditor, kind }: vscode.TextEditorSelectionChangeEvent): void {
    if (textEditor === this.stage?.editor && kind !== undefined) {
      this.set('paused');
    }
  }

  private switched(editor: vscode.TextEditor | undefined): void {
    const stage = this.stage;
    if (stage && editor && !this.busy && editor !== stage.editor && editor.viewColumn === stage.editor.viewColumn) {
      this.set('paused');
    }
  }
}

function visible(editor: vscode.TextEditor, line: number): boolean {
  return editor.visibleRanges.some((r) => r.start.line <= line - 1 && line - 1 <= r.end.line);
}
