import type { Item, Transcript } from '../shared/transcript';
import { CallRow } from './callRow';
import { h } from './dom';
import { NoticeRow, TextRow } from './textRow';
import type { Row, Surroundings } from './view';

/** Bodies exist this far from the screen. */
const margin = '600px 0px';

/** How near to its end the list counts as being at its end, in pixels. */
const nearEnd = 40;

/**
 * List shows the items of a transcript, one row each, in a plain document: a
 * row's head is always there, its body only near the screen, and the browser
 * lays out only what can be seen. It stays at its end while it grows, unless
 * the user has scrolled away.
 */
export class List {
  readonly element = h('div', { class: 'transcript', role: 'region', 'aria-label': 'Transcript', tabindex: 0 });
  private readonly inner = h('div', { class: 'rows' });
  private rows: Row[] = [];
  private readonly byElement = new Map<Element, Row>();
  private readonly dirty = new Map<number, string | undefined>();
  private items: readonly Item[] = [];
  private frame = 0;
  private atEnd = true;
  private top = 0;
  private readonly near: IntersectionObserver;

  constructor(private readonly around: Surroundings) {
    this.element.append(this.inner);
    this.near = new IntersectionObserver((entries) => this.crossed(entries), { root: this.element, rootMargin: margin });
    this.element.addEventListener('scroll', () => this.scrolled(), { passive: true });
    new ResizeObserver(() => this.stayAtEnd()).observe(this.inner);
  }

  /** Shows another transcript. */
  reset(transcript: Transcript): void {
    for (const row of this.rows) {
      this.forget(row);
    }
    this.rows = [];
    this.dirty.clear();
    this.items = transcript.items;
    const fragment = document.createDocumentFragment();
    for (const item of this.items) {
      fragment.append(this.add(item).element);
    }
    this.inner.replaceChildren(fragment);
    this.atEnd = true;
    this.stayAtEnd();
  }

  /** An item was added or has changed; it is painted with the next frame. */
  changed(item: Item, delta?: string): void {
    const more = this.dirty.has(item.key);
    this.dirty.set(item.key, more ? undefined : delta);
    this.frame ||= requestAnimationFrame(() => this.paint());
  }

  /** What is around the items has changed. */
  refresh(which: (item: Item) => boolean): void {
    for (const item of this.items) {
      if (which(item)) {
        this.changed(item);
      }
    }
  }

  private paint(): void {
    this.frame = 0;
    for (const [key, delta] of [...this.dirty].sort(([a], [b]) => a - b)) {
      const row = this.rows[key];
      if (row) {
        row.update(delta);
      } else {
        this.inner.append(this.add(this.items[key]!).element);
      }
    }
    this.dirty.clear();
    this.stayAtEnd();
  }

  private add(item: Item): Row {
    const row = makeRow(item, this.around);
    this.rows[item.key] = row;
    this.byElement.set(row.element, row);
    this.near.observe(row.element);
    return row;
  }

  private forget(row: Row): void {
    this.near.unobserve(row.element);
    this.byElement.delete(row.element);
    row.unmount();
  }

  private crossed(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      const row = this.byElement.get(target);
      if (isIntersecting) {
        row?.mount();
      } else if (!target.contains(document.activeElement)) {
        row?.unmount();
      }
    }
    this.stayAtEnd();
  }

  private scrolled(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.element;
    if (scrollHeight - clientHeight - scrollTop < nearEnd) {
      this.atEnd = true;
    } else if (scrollTop < this.top) {
      this.atEnd = false; // only the user scrolls back; growth does not
    }
    this.top = scrollTop;
  }

  private stayAtEnd(): void {
    if (this.atEnd) {
      this.element.scrollTop = this.element.scrollHeight;
    }
  }
}

function makeRow(item: Item, around: Surroundings): Row {
  switch (item.type) {
    case 'call':
      return new CallRow(item, around);
    case 'notice':
      return new NoticeRow(item);
    default:
      return new TextRow(item, around);
  }
}
