import { FitAddon } from '@xterm/addon-fit';
import { Terminal, type ITheme } from '@xterm/xterm';
import type { TerminalState } from '../shared/transcript';
import { h } from './dom';

/** The most rows that a terminal in a card has. */
const maxRows = 16;
const scrollback = 20_000;

/**
 * TerminalView is what a command prints, as a terminal. It exists only while it
 * is near the screen: a new one is made of the whole output.
 */
export class TerminalView {
  readonly element = h('div', { class: 'terminal', role: 'group', 'aria-label': 'Output of the command' });
  private readonly terminal: Terminal;
  private readonly fit = new FitAddon();
  private readonly resized: ResizeObserver;
  private written = 0;
  private lines = 1;

  constructor(private state: TerminalState) {
    this.terminal = new Terminal({
      disableStdin: true,
      convertEol: true,
      scrollback,
      rows: 1,
      cursorBlink: false,
      cursorInactiveStyle: 'none',
      fontFamily: css('--vscode-editor-font-family') || 'monospace',
      fontSize: Number.parseFloat(css('--vscode-editor-font-size')) || 12,
      minimumContrastRatio: 4.5,
      theme: theme(),
    });
    this.terminal.loadAddon(this.fit);
    this.resized = new ResizeObserver(() => this.fitColumns());
  }

  /** Shows it; the element must be in the document. */
  open(): void {
    this.terminal.open(this.element);
    this.terminal.textarea?.setAttribute('aria-label', 'Output of the command, read only');
    this.terminal.textarea?.setAttribute('readonly', '');
    this.fitColumns();
    this.resized.observe(this.element);
    this.update(this.state);
  }

  /** Writes what is new. */
  update(state: TerminalState): void {
    this.state = state;
    if (state.output.length < this.written) {
      this.terminal.reset();
      this.written = 0;
      this.lines = 1;
    }
    const fresh = state.output.slice(this.written);
    if (fresh === '') {
      return;
    }
    this.written = state.output.length;
    this.grow(fresh);
    this.terminal.write(fresh);
  }

  dispose(): void {
    this.resized.disconnect();
    this.terminal.dispose();
    this.element.remove();
  }

  private grow(fresh: string): void {
    if (this.lines >= maxRows) {
      return;
    }
    for (const character of fresh) {
      this.lines += character === '\n' ? 1 : 0;
    }
    const trailing = this.state.output.endsWith('\n') ? 1 : 0;
    this.resize(this.terminal.cols, Math.max(1, Math.min(this.lines - trailing, maxRows)));
  }

  private fitColumns(): void {
    const proposed = this.fit.proposeDimensions();
    if (proposed && Number.isFinite(proposed.cols)) {
      this.resize(Math.max(20, proposed.cols), this.terminal.rows);
    }
  }

  private resize(cols: number, rows: number): void {
    if (cols !== this.terminal.cols || rows !== this.terminal.rows) {
      this.terminal.resize(cols, rows);
    }
  }
}

function css(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

const ansi = ['Black', 'Red', 'Green', 'Yellow', 'Blue', 'Magenta', 'Cyan', 'White'];

/** The colours of the editor's own terminal. */
function theme(): ITheme {
  const background = css('--vscode-terminal-background') || css('--vscode-editor-background');
  const colours: Record<string, string> = {
    background,
    foreground: css('--vscode-terminal-foreground') || css('--vscode-editor-foreground'),
    selectionBackground: css('--vscode-terminal-selectionBackground'),
    cursor: background,
  };
  for (const name of ansi) {
    colours[name.toLowerCase()] = css(`--vscode-terminal-ansi${name}`);
    colours[`bright${name}`] = css(`--vscode-terminal-ansiBright${name}`);
  }
  return Object.fromEntries(Object.entries(colours).filter(([, value]) => value !== ''));
}

/** Output without the sequences that colour it and move the cursor, to copy. */
export function plainText(output: string): string {
  return output.replace(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g, '');
}
