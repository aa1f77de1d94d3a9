import type { NoticeItem, TextItem } from '../shared/transcript';
import { blockView } from './contentView';
import { button, h } from './dom';
import { send } from './host';
import { GrowingMarkdown } from './markdown';
import type { Row, Surroundings } from './view';

const labels = { user: 'You', agent: 'Agent', thought: 'Thought' };

/** A message that grows is rendered again at most this often as rendering it takes. */
const renderShare = 10;

/** TextRow is a message: the user's as it was typed, the agent's as Markdown, thoughts folded. */
export class TextRow implements Row {
  readonly element: HTMLElement;
  private readonly text = h('div', { class: 'message' });
  private readonly markdown = new GrowingMarkdown();
  private readonly restore = h('div', { class: 'restore' });
  private mounted = false;
  private shown?: string;
  private shownCheckpoint?: string;
  private timer?: ReturnType<typeof setTimeout>;
  private next = 0;

  constructor(
    private readonly item: TextItem,
    private readonly around: Surroundings,
  ) {
    const label = labels[item.type];
    const content =
      item.type === 'thought' ? h('details', { class: 'thought' }, h('summary', {}, label), this.text) : this.text;
    this.element = h('article', { class: `row ${item.type}`, 'aria-label': label }, content, this.restore);
    this.element.style.containIntrinsicHeight = `auto ${aboutHeight(item)}px`;
    this.update();
  }

  update(): void {
    const checkpoint = this.around.checkpoint(this.item);
    if (checkpoint !== this.shownCheckpoint) {
      this.shownCheckpoint = checkpoint;
      this.restore.replaceChildren(...(checkpoint ? [restoreButton(checkpoint)] : []));
    }
    const wait = this.next - performance.now();
    if (wait <= 0) {
      this.render();
    } else {
      this.timer ??= setTimeout(() => this.render(), wait);
    }
  }

  mount(): void {
    this.mounted = true;
    this.render();
  }

  unmount(): void {
    this.mounted = false;
  }

  private render(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { item } = this;
    if (!this.mounted || this.shown === item.text) {
      return;
    }
    this.shown = item.text;
    const begin = performance.now();
    const blocks = item.blocks.map((b) => blockView(b, this.around.cwd)).filter((b) => b !== undefined);
    if (item.type !== 'user') {
      this.markdown.update(item.text);
    }
    const text = item.type === 'user' ? h('pre', {}, item.text) : this.markdown.element;
    this.text.replaceChildren(text, ...(blocks.length > 0 ? [h('div', { class: 'chips' }, ...blocks)] : []));
    const end = performance.now();
    this.next = end + (end - begin) * renderShare;
  }
}

/** About how high a message is, for as long as it has not been laid out, in pixels. */
function aboutHeight({ type, text }: TextItem): number {
  const lines = type === 'thought' ? 1 : Math.max(text.split('\n', 200).length, text.length / 50);
  return Math.round(lines * 19 + 14);
}

function restoreButton(checkpoint: string): HTMLElement {
  return button('Restore checkpoint', () => send({ type: 'restore', checkpoint }), {
    class: 'quiet',
    title: 'Bring the files back to what they held before this prompt',
  });
}

/** NoticeRow is something that the server has to say. */
export class NoticeRow implements Row {
  readonly element: HTMLElement;

  constructor({ severity, title, description }: NoticeItem) {
    this.element = h(
      'article',
      { class: `row notice ${severity}`, 'aria-label': severity },
      h('strong', {}, title),
      description !== undefined && h('p', {}, description),
    );
  }

  update(): void {}
  mount(): void {}
  unmount(): void {}
}
