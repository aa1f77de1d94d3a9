import type { ReviewedFile, Status, ToView } from '../shared/messages';
import { isOver, Transcript, type CallItem, type Changed, type Item } from '../shared/transcript';
import { optionViews, planView, problemView, queueView, usageText, welcomeView } from './beside';
import { h } from './dom';
import { send } from './host';
import { List } from './list';
import { PromptBox } from './promptBox';
import { recolourTerminals } from './terminalView';
import type { Surroundings } from './view';

/** App is the page: it shows what the extension tells and keeps nothing else. */
class App implements Surroundings {
  cwd = '';
  private id = '';
  private transcript = new Transcript();
  private status: Status = {
    connection: 'starting', running: false, queue: [], permissions: [], checkpoints: [], trusted: true,
  };
  private reviewed: readonly ReviewedFile[] = [];
  private readonly list = new List(this);
  private readonly welcome = h('div');
  private readonly above = h('div', { class: 'above' });
  private readonly options = h('span', { class: 'options' });
  private readonly usage = h('span', { class: 'usage' });
  private readonly live = h('div', { class: 'hidden-text', role: 'status', 'aria-live': 'polite' });
  private readonly box = new PromptBox(this.options, this.usage);
  private readonly colours = h('style');

  constructor(root: HTMLElement) {
    root.append(h('main', { 'aria-label': 'Agent' }, this.welcome, this.list.element, this.above, this.box.element, this.live));
    const nonce = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce;
    this.colours.nonce = nonce ?? '';
    document.head.append(this.colours);
    giveStylesTheNonce(nonce);
    this.listen(root);
    send({ type: 'ready' });
  }

  private listen(root: HTMLElement): void {
    window.addEventListener('message', (event: MessageEvent<ToView>) => this.receive(event.data));
    window.addEventListener('focus', () => {
      send({ type: 'focused', focused: true });
      this.regainFocus();
    });
    window.addEventListener('blur', () => send({ type: 'focused', focused: false }));
    document.addEventListener('click', (event) => followLink(event));
    const theme = () => {
      recolourTerminals();
      send({ type: 'theme', id: document.body.dataset['vscodeThemeId'] ?? '' });
    };
    new MutationObserver(theme).observe(document.body, { attributeFilter: ['data-vscode-theme-id'] });
    theme();
    new MutationObserver(() => this.regainFocus()).observe(root, { childList: true, subtree: true });
  }

  /** Takes the focus when what had it is gone, such as the button of an answer. */
  private regainFocus(): void {
    if (document.hasFocus() && document.activeElement === document.body) {
      this.box.focus();
    }
  }

  permission(call: CallItem) {
    return this.status.permissions.find((p) => p.call.toolCallId === call.id);
  }

  checkpoint(item: Item) {
    return this.status.running ? undefined : this.status.checkpoints.find((c) => c.key === item.key)?.id;
  }

  review(call: CallItem): readonly ReviewedFile[] {
    return this.reviewed
      .map(({ path, hunks }) => ({ path, hunks: hunks.filter((h) => h.toolCallId === call.id && h.sessionId === this.id) }))
      .filter(({ hunks }) => hunks.length > 0);
  }

  private receive(message: ToView): void {
    switch (message.type) {
      case 'session':
        this.id = message.id;
        this.cwd = message.cwd;
        this.transcript = Transcript.from(message.snapshot);
        this.list.reset(this.transcript);
        return this.beside();
      case 'updates':
        return this.update(message);
      case 'status':
        return this.takeStatus(message.status);
      case 'review':
        this.reviewed = message.files;
        return this.list.refresh((item) => item.type === 'call' && item.content.some((c) => c.type === 'diff'));
      case 'colours':
        this.colours.textContent = Object.entries(message.colours)
          .filter(([name, colour]) => /^[a-z_]+$/.test(name) && /^#[0-9a-f]{3,8}$/i.test(colour))
          .map(([name, colour]) => `.hljs-${name} { color: ${colour}; }`)
          .join('\n');
        return;
      case 'completions':
        return this.box.completions(message.request, message.items);
      case 'prefill':
        return this.box.prefill(message.text);
      case 'focus':
        return this.box.focus();
    }
  }

  private update({ id, updates }: Extract<ToView, { type: 'updates' }>): void {
    if (id !== this.id) {
      return;
    }
    let beside = false;
    for (const update of updates) {
      const changed: Changed = this.transcript.apply(update);
      if (changed === 'beside') {
        beside = true;
      } else if (changed) {
        this.list.changed(changed.item, changed.delta);
      }
    }
    if (beside || !this.welcome.hidden) {
      this.beside();
    }
  }

  private takeStatus(status: Status): void {
    const before = this.status;
    this.status = status;
    this.announce(before, status);
    this.list.refresh((item) => item.type === 'user' || (item.type === 'call' && !isOver(item.status)));
    this.beside();
  }

  private beside(): void {
    const { transcript, status } = this;
    const empty = transcript.items.length === 0;
    this.welcome.hidden = !empty;
    this.list.element.hidden = empty;
    if (empty) {
      this.welcome.replaceChildren(welcomeView(transcript.options));
    }
    const parts = [problemView(status), planView(transcript.plan), queueView(status.queue)];
    this.above.replaceChildren(...parts.filter((p) => p !== undefined));
    if (!this.options.contains(document.activeElement)) {
      this.options.replaceChildren(...optionViews(transcript.options, status.trusted));
    }
    this.usage.textContent = usageText(transcript.usage);
    this.box.setRunning(status.running);
    this.box.setCommands(transcript.commands);
  }

  /** Says begin and end of a turn and each question, and nothing between. */
  private announce(before: Status, now: Status): void {
    const asked = now.permissions.find((p) => !before.permissions.some((q) => q.id === p.id));
    if (asked) {
      this.live.textContent = `The agent asks for permission: ${asked.call.title ?? 'a call'}`;
    } else if (before.running !== now.running) {
      this.live.textContent = now.running ? 'The agent has begun.' : 'The agent has finished.';
    }
  }
}

/** The terminal makes style elements; they get the page's nonce. */
function giveStylesTheNonce(nonce: string | undefined): void {
  const create = document.createElement.bind(document);
  document.createElement = (tag: string, options?: ElementCreationOptions) => {
    const element: HTMLElement = create(tag, options);
    if (element instanceof HTMLStyleElement && nonce) {
      element.nonce = nonce;
    }
    return element;
  };
}

/** Links of messages are opened by the editor, never by the page. */
function followLink(event: MouseEvent): void {
  const link = (event.target as Element).closest('a');
  const href = link?.getAttribute('href');
  if (!link || href === null || href === undefined) {
    return;
  }
  event.preventDefault();
  if (/^(https?|mailto):/i.test(href)) {
    send({ type: 'openLink', href });
  }
}

new App(document.getElementById('app')!);
