import type { AvailableCommand } from '../shared/acp';
import type { Completion } from '../shared/messages';
import { h, icon } from './dom';

/** What the caret is in: a command at the begin of a line, or a mention. */
export interface Trigger {
  readonly kind: 'command' | 'mention';
  readonly query: string;
  readonly start: number;
}

/** Finds what is being typed before the caret, undefined for plain text. */
export function triggerAt(text: string, caret: number): Trigger | undefined {
  const before = text.slice(0, caret);
  const command = /(?:^|\n)\/([\w.-]*)$/.exec(before);
  if (command) {
    return { kind: 'command', query: command[1]!, start: caret - command[1]!.length - 1 };
  }
  const mention = /(?:^|\s)@("[^"\n]*|[^\s"]*)$/.exec(before);
  if (mention) {
    return { kind: 'mention', query: mention[1]!.replace('"', ''), start: caret - mention[1]!.length - 1 };
  }
  return undefined;
}

export function completeCommand(commands: readonly AvailableCommand[], query: string): Completion[] {
  const wanted = query.toLowerCase();
  return commands
    .filter((c) => c.name.toLowerCase().startsWith(wanted))
    .map((c) => ({ label: `/${c.name}`, insert: `/${c.name}`, detail: c.description, icon: 'execute' }));
}

/**
 * Popup is the list of what may be inserted, below the control of the prompt
 * box, which keeps the focus: the box says which entry is active.
 */
export class Popup {
  readonly element = h('ul', { class: 'popup', id: 'completions', role: 'listbox', 'aria-label': 'Suggestions', hidden: true });
  private items: readonly Completion[] = [];
  private active = 0;

  constructor(
    private readonly input: HTMLTextAreaElement,
    private readonly choose: (completion: Completion) => void,
  ) {
    input.setAttribute('role', 'combobox');
    input.setAttribute('aria-autocomplete', 'list');
    input.setAttribute('aria-expanded', 'false');
    input.setAttribute('aria-controls', 'completions');
    // The click must not take the focus from the box.
    this.element.addEventListener('mousedown', (event) => event.preventDefault());
  }

  get open(): boolean {
    return !this.element.hidden;
  }

  show(items: readonly Completion[]): void {
    this.items = items;
    this.active = 0;
    this.element.replaceChildren(...items.map((item, i) => this.entry(item, i)));
    this.element.hidden = items.length === 0;
    this.input.setAttribute('aria-expanded', String(this.open));
    this.mark();
  }

  hide(): void {
    this.show([]);
  }

  /** Takes a key of the box; true when it was for the list. */
  key(event: KeyboardEvent): boolean {
    if (!this.open) {
      return false;
    }
    const count = this.items.length;
    switch (event.key) {
      case 'ArrowDown':
        this.active = (this.active + 1) % count;
        break;
      case 'ArrowUp':
        this.active = (this.active + count - 1) % count;
        break;
      case 'Enter':
      case 'Tab':
        this.choose(this.items[this.active]!);
        return true;
      case 'Escape':
        this.hide();
        return true;
      default:
        return false;
    }
    this.mark();
    return true;
  }

  private entry(item: Completion, i: number): HTMLElement {
    return h(
      'li',
      { id: `completion-${i}`, role: 'option', onclick: () => this.choose(item) },
      icon(item.icon),
      h('span', { class: 'label' }, item.label),
      item.detail !== undefined && h('span', { class: 'detail' }, item.detail),
    );
  }

  private mark(): void {
    for (const [i, entry] of [...this.element.children].entries()) {
      entry.setAttribute('aria-selected', String(i === this.active));
    }
    this.element.children[this.active]?.scrollIntoView({ block: 'nearest' });
    if (this.open) {
      this.input.setAttribute('aria-activedescendant', `completion-${this.active}`);
    } else {
      this.input.removeAttribute('aria-activedescendant');
    }
  }
}
