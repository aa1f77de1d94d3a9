import type { AvailableCommand } from '../shared/acp';
import type { Completion } from '../shared/messages';
import { completeCommand, Popup, triggerAt } from './completion';
import { button, h } from './dom';
import { keep, kept, send } from './host';

/** How many prompts are remembered. */
const maxHistory = 100;

/** PromptBox is where prompts are typed: history, commands, mentions, send and stop. */
export class PromptBox {
  readonly element: HTMLElement;
  private readonly input = h('textarea', {
    rows: 1,
    'aria-label': 'Prompt',
    placeholder: 'Prompt: / for commands, @ for files',
    spellcheck: 'false',
    oninput: () => this.typed(),
    onblur: () => this.popup.hide(),
  });
  private readonly popup = new Popup(this.input, (c) => this.insert(c));
  private readonly sendButton = button('Send', () => this.submit(), { class: 'primary', title: 'Send (Enter)' });
  private readonly stopButton = button('Stop', () => send({ type: 'stop' }), { class: 'secondary', title: 'Stop (Escape)' });
  private history = [...kept().history];
  private at = this.history.length;
  private request = 0;
  private commands: readonly AvailableCommand[] = [];

  constructor(...controls: readonly HTMLElement[]) {
    this.input.addEventListener('keydown', (event) => this.key(event));
    this.input.value = kept().draft;
    this.element = h(
      'div',
      { class: 'prompt' },
      this.popup.element,
      this.input,
      h('div', { class: 'prompt-tools' }, ...controls, h('span', { class: 'space' }), this.stopButton, this.sendButton),
    );
    this.setRunning(false);
  }

  setRunning(running: boolean): void {
    this.stopButton.hidden = !running;
    this.sendButton.textContent = running ? 'Queue' : 'Send';
  }

  setCommands(commands: readonly AvailableCommand[]): void {
    this.commands = commands;
  }

  /** Takes the focus, as soon as the editor shows the page: a hidden frame cannot have it. */
  focus(attempts = 100): void {
    this.input.focus();
    if (document.activeElement !== this.input && attempts > 0) {
      requestAnimationFrame(() => this.focus(attempts - 1));
    }
  }

  /** Puts a text before what is there and the caret behind it. */
  prefill(text: string): void {
    this.input.value = text + this.input.value;
    this.input.setSelectionRange(text.length, text.length);
    this.typed();
    this.focus();
  }

  /** Shows what may be mentioned, unless something else was typed meanwhile. */
  completions(request: number, items: readonly Completion[]): void {
    if (request === this.request && document.activeElement === this.input) {
      this.popup.show(items);
    }
  }

  private key(event: KeyboardEvent): void {
    if (event.isComposing || this.popup.key(event) || this.recalled(event)) {
      if (!event.isComposing) {
        event.preventDefault();
      }
      return;
    }
    if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      this.submit();
    } else if (event.key === 'Escape' && !this.stopButton.hidden) {
      event.preventDefault();
      send({ type: 'stop' });
    }
  }

  /** Up in the first line and down in the last one go through the history. */
  private recalled(event: KeyboardEvent): boolean {
    const { value, selectionStart, selectionEnd } = this.input;
    const up = event.key === 'ArrowUp' && selectionStart === selectionEnd && !value.slice(0, selectionStart).includes('\n');
    const down = event.key === 'ArrowDown' && !value.slice(selectionEnd).includes('\n');
    const next = up ? this.at - 1 : down ? this.at + 1 : -1;
    if (event.shiftKey || next < 0 || next > this.history.length) {
      return false;
    }
    this.at = next;
    this.input.value = this.history[next] ?? '';
    const caret = up ? 0 : this.input.value.length;
    this.input.setSelectionRange(caret, caret);
    this.grow();
    return true;
  }

  private submit(): void {
    const text = this.input.value.trim();
    if (text === '') {
      return;
    }
    send({ type: 'prompt', text });
    this.history = [...this.history.filter((t) => t !== text), text].slice(-maxHistory);
    this.at = this.history.length;
    this.input.value = '';
    this.typed();
  }

  private typed(): void {
    this.grow();
    keep({ history: this.history, draft: this.input.value });
    const trigger = triggerAt(this.input.value, this.input.selectionStart);
    this.request++;
    if (trigger?.kind === 'command') {
      this.popup.show(completeCommand(this.commands, trigger.query));
    } else if (trigger) {
      send({ type: 'complete', request: this.request, query: trigger.query });
    } else {
      this.popup.hide();
    }
  }

  private insert({ insert }: Completion): void {
    const { value, selectionStart } = this.input;
    const trigger = triggerAt(value, selectionStart);
    if (trigger) {
      const head = `${value.slice(0, trigger.start)}${insert} `;
      this.input.value = head + value.slice(selectionStart).replace(/^ /, '');
      this.input.setSelectionRange(head.length, head.length);
    }
    this.typed();
    this.popup.hide();
  }

  private grow(): void {
    this.input.style.height = 'auto';
    this.input.style.height = `${this.input.scrollHeight + 2}px`;
  }
}
