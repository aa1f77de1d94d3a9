import { FitAddon } from '@xterm/addon-fit';
import { Terminal, type ITheme } from '@xterm/xterm';
import xtermStyles from '@xterm/xterm/css/xterm.css';
import type { TerminalState } from '../shared/transcript';
import { h } from './dom';
import { later, never } from './frames';

/** The most rows that a terminal in a card has. */
const maxRows = 16;
const scrollback = 20_000;

/** Output is written in slices of so many UTF-16 units; the terminal takes a break between them. */
const slice = 8192;

const terminalStyles = new CSSStyleSheet();
terminalStyles.replaceSync(`${xtermStyles} .xterm .xterm-viewport { background: transparent !important; }`);

const opened = new Set<TerminalView>();

/** The theme of the editor has changed. */
export function recolourTerminals(): void {
  const colours = theme();
  opened.forEach((view) => view.recolour(colours));
}

/**
 * TerminalView is what a command prints, as a terminal. It exists only while it
 * is near the screen: a new one is made of the whole output.
 */
export class TerminalView {
  readonly element = h('div', { class: 'output', role: 'group', 'aria-label': 'Output of the command' });
  private terminal?: Terminal;
  private readonly fit = new FitAddon();
  private readonly resized = new ResizeObserver(() => this.fitColumns());
  private written = 0;
  private lines = 1;

  /** Opens in one of the next frames; until then it holds the place of its rows. */
  constructor(private state: TerminalState) {
    const rows = Math.min(state.output.split('\n', maxRows + 1).length, maxRows);
    this.element.style.minHeight = `${rows * rowHeight() + 10}px`;
    later(this.open);
  }

  /** Shows it; the element is in the document by then. */
  private readonly open = (): void => {
    const terminal = new Terminal({
      disableStdin: true,
      convertEol: true,
      scrollback,
      rows: 1,
      cursorBlink: false,
      cursorInactiveStyle: 'none',
      fontFamily: css('--vscode-editor-font-family') || 'monospace',
      fontSize: fontSize(),
      minimumContrastRatio: 4.5,
      theme: theme(),
    });
    this.terminal = terminal;
    opened.add(this);
    terminal.loadAddon(this.fit);
    terminal.open(this.screen());
    terminal.textarea?.setAttribute('aria-label', 'Output of the command, read only');
    terminal.textarea?.setAttribute('readonly', '');
    this.fitColumns();
    this.resized.observe(this.element);
    this.update(this.state);
    this.element.style.minHeight = '';
  };

  /**
   * The element of the terminal, in a tree of its own: the styles that each
   * terminal adds would else be matched against the whole page.
   */
  private screen(): HTMLElement {
    const root = this.element.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [terminalStyles];
    const screen = h('div');
    root.append(screen);
    return screen;
  }

  /**
   * Writes what is new. A line end is written with the next line, so that the
   * last row is not an empty one.
   */
  update(state: TerminalState): void {
    this.state = state;
    if (!this.terminal) {
      return;
    }
    if (state.output.length < this.written) {
      this.terminal.reset();
      this.written = 0;
      this.lines = 1;
    }
    const { output } = state;
    const lineEnd = output.endsWith('\r\n') ? 2 : output.endsWith('\n') ? 1 : 0;
    const fresh = output.slice(this.written, output.length - lineEnd);
    if (fresh === '') {
      return;
    }
    this.written += fresh.length;
    this.grow(fresh);
    for (let at = 0; at < fresh.length; at += slice) {
      this.terminal.write(fresh.slice(at, at + slice));
    }
  }

  dispose(): void {
    never(this.open);
    opened.delete(this);
    this.resized.disconnect();
    this.terminal?.dispose();
    this.element.remove();
  }

  recolour(colours: ITheme): void {
    this.terminal!.options.theme = colours;
  }

  private grow(fresh: string): void {
    for (let at = fresh.indexOf('\n'); at >= 0 && this.lines < maxRows; at = fresh.indexOf('\n', at + 1)) {
      this.lines++;
    }
    this.resize(this.terminal!.cols, this.lines);
  }

  private fitColumns(): void {
    const proposed = this.fit.proposeDimensions();
    if (proposed && Number.isFinite(proposed.cols)) {
      this.resize(Math.max(20, proposed.cols), this.terminal!.rows);
    }
  }

  private resize(cols: number, rows: number): void {
    if (cols !== this.terminal!.cols || rows !== this.terminal!.rows) {
      this.terminal!.resize(cols, rows);
    }
  }
}

function fontSize(): number {
  return Number.parseFloat(css('--vscode-editor-font-size')) || 12;
}

/** About the height of a row, in pixels. */
function rowHeight(): number {
  return fontSize() * 1.2;
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
