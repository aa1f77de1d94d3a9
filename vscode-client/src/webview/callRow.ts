import type { DiffContent, ToolCallLocation } from '../shared/acp';
import { isOver, type CallItem } from '../shared/transcript';
import { blockView, rawView, textView } from './contentView';
import { DiffView } from './diffView';
import { button, duration, h, icon } from './dom';
import { send } from './host';
import { permissionView } from './permissionView';
import { plainText, TerminalView } from './terminalView';
import { shortPath, type Row, type Surroundings } from './view';

/** How many locations are listed. */
const maxLocations = 20;

/** About how high cards are, for as long as they have not been laid out, in pixels. */
const closedHeight = 30;
const openHeight = 190;

/** A command longer than this is shown once more, whole, in UTF-16 units. */
const longTitle = 40;

/**
 * CallRow is the card of a tool call, made of what updates say alone. Its parts
 * are made again only when what they show has changed.
 */
export class CallRow implements Row {
  readonly element: HTMLElement;
  private readonly toggle: HTMLButtonElement;
  private readonly title = h('span', { class: 'title' });
  private readonly state = h('span', { class: 'state' });
  private readonly place = h('span', { class: 'place' });
  private readonly body = h('div', { class: 'card-body' });
  private readonly question = h('div', { class: 'question' });
  private terminal?: TerminalView;
  private diff?: DiffView;
  private mounted = false;
  /** The user's own choice; else what is worth seeing is open. */
  private chosen?: boolean;
  private shownBody?: unknown[];
  private shownHead?: string;
  private shownQuestion?: number;

  constructor(
    private readonly item: CallItem,
    private readonly around: Surroundings,
  ) {
    const id = `call-${item.key}`;
    this.toggle = h(
      'button',
      { type: 'button', class: 'card-head', 'aria-expanded': 'false', 'aria-controls': `${id}-body`, onclick: () => this.flip() },
      icon('chevron'),
      h('span', { class: 'kind' }, icon(item.kind)),
      this.title,
    );
    this.body.id = `${id}-body`;
    this.title.id = `${id}-title`;
    const head = h('div', { class: 'card-line' }, this.toggle, this.place, this.state);
    this.element = h('article', { class: 'card row', 'aria-labelledby': this.title.id }, head, this.body, this.question);
    this.update();
  }

  update(delta?: string): void {
    if (delta !== undefined && this.terminal) {
      this.terminal.update(this.item.terminal!);
      return;
    }
    this.head();
    this.ask();
    this.content();
  }

  mount(): void {
    this.mounted = true;
    this.content();
  }

  unmount(): void {
    this.mounted = false;
    this.disposeParts();
    if (this.shownBody) {
      this.body.style.minHeight = `${this.body.offsetHeight}px`;
      this.body.replaceChildren();
      this.shownBody = undefined;
    }
  }

  private get open(): boolean {
    const { item } = this;
    const worthSeeing = item.terminal || item.status === 'failed' || item.content.some(isVisual) || this.shownQuestion !== undefined;
    return this.chosen ?? !!worthSeeing;
  }

  private flip(): void {
    this.chosen = !this.open;
    this.mounted = true;
    this.update();
  }

  private head(): void {
    const { item } = this;
    const asks = this.around.permission(item) !== undefined;
    const shown = JSON.stringify([item.title, item.kind, item.status, item.locations[0], item.terminal?.exit, asks]);
    if (shown === this.shownHead) {
      return;
    }
    this.shownHead = shown;
    this.title.textContent = item.title.split('\n')[0] || item.kind;
    this.title.title = item.title;
    this.toggle.querySelector('.kind')!.replaceChildren(icon(item.kind));
    this.element.classList.toggle('execute', item.kind === 'execute');
    this.element.dataset['status'] = asks ? 'asks' : item.status;
    this.state.replaceChildren(...this.states(asks));
    const at = item.locations.length === 1 ? item.locations[0] : undefined;
    this.place.replaceChildren(...(at ? [this.location(at)] : []));
  }

  private states(asks: boolean): Node[] {
    const { item } = this;
    const words = { pending: 'waiting', in_progress: 'running', completed: 'done', failed: 'failed' };
    const exit = item.terminal?.exit;
    const code = exit?.signal ? exit.signal : exit?.code;
    const nodes: Node[] = [];
    if (exit && code !== undefined && code !== null) {
      nodes.push(h('span', { class: `pill ${code === 0 ? 'good' : 'bad'}` }, exit.signal ? String(code) : `exit ${code}`));
    }
    if (item.started !== undefined && item.ended !== undefined) {
      nodes.push(h('span', { class: 'duration' }, duration(item.ended - item.started)));
    }
    const quiet = item.status === 'completed';
    const word = h('span', { class: quiet ? 'hidden-text' : '' }, asks ? 'asks' : words[item.status]);
    nodes.push(h('span', { class: `status ${asks ? 'asks' : item.status}` }, word));
    return nodes;
  }

  private location(at: ToolCallLocation): HTMLElement {
    const path = shortPath(at.path, this.around.cwd);
    const label = at.line ? `${path}:${at.line}` : path;
    const name = label.split(/[\\/]/).at(-1)!;
    return button(name, () => send({ type: 'open', ...at }), { class: 'link', title: label, 'aria-label': `Open ${label}` });
  }

  private ask(): void {
    const permission = this.around.permission(this.item);
    if (permission?.id === this.shownQuestion) {
      return;
    }
    this.shownQuestion = permission?.id;
    this.question.replaceChildren(...(permission ? [permissionView(permission)] : []));
  }

  private content(): void {
    this.element.style.containIntrinsicHeight = `auto ${this.open ? openHeight : closedHeight}px`;
    this.toggle.setAttribute('aria-expanded', String(this.open));
    this.body.hidden = !this.open;
    if (!this.open || !this.mounted) {
      return;
    }
    const { item } = this;
    const shown = [item.content, item.title, item.rawInput, item.rawOutput, item.locations, item.status, this.shownQuestion];
    if (this.shownBody?.every((part, i) => part === shown[i])) {
      this.terminal?.update(item.terminal!);
      this.diff?.review(this.around.review(item));
      return;
    }
    this.shownBody = shown;
    this.disposeParts();
    this.body.replaceChildren(...this.parts());
    this.body.style.minHeight = '';
    this.openTerminal();
  }

  private disposeParts(): void {
    this.terminal?.dispose();
    this.diff?.dispose();
    this.terminal = undefined;
    this.diff = undefined;
  }

  /** What the body holds, but the terminal. */
  private parts(): Node[] {
    const { item, around } = this;
    const parts: Node[] = [];
    const asks = this.shownQuestion !== undefined; // and shows what it asks about
    if (!asks && item.kind === 'execute' && (item.title.length > longTitle || item.title.includes('\n'))) {
      parts.push(h('div', { class: 'command' }, textView(item.title)));
    }
    if (item.locations.length > 1) {
      parts.push(h('div', { class: 'locations' }, ...item.locations.slice(0, maxLocations).map((at) => this.location(at))));
    }
    const diffs = item.content.filter((c): c is DiffContent => c.type === 'diff');
    if (diffs.length > 0) {
      this.diff = new DiffView(diffs, around.cwd, around.review(item));
      parts.push(this.diff.element);
    }
    for (const part of item.content) {
      const view = part.type === 'content' ? blockView(part.content, around.cwd) : undefined;
      if (view) {
        parts.push(view);
      }
    }
    if (!asks && item.rawInput !== undefined && item.rawInput !== item.title) {
      parts.push(rawView('Input', item.rawInput));
    }
    if (item.rawOutput !== undefined) {
      parts.push(rawView('Output', item.rawOutput));
    }
    return parts;
  }

  private openTerminal(): void {
    const { item } = this;
    if (!item.terminal || (item.status === 'pending' && item.terminal.output === '')) {
      return;
    }
    this.terminal = new TerminalView(item.terminal);
    const copy = () => send({ type: 'copy', text: plainText(item.terminal?.output ?? '') });
    this.body.append(
      this.terminal.element,
      h(
        'div',
        { class: 'terminal-tools' },
        !isOver(item.status) && button('Stop', () => send({ type: 'stop' }), { class: 'quiet' }),
        button('Copy output', copy, { class: 'quiet' }),
        button('Open in a terminal', () => send({ type: 'openTerminal', callId: item.id }), { class: 'quiet' }),
      ),
    );
  }
}

function isVisual(content: CallItem['content'][number]): boolean {
  return content.type === 'diff' || (content.type === 'content' && content.content.type === 'image');
}
