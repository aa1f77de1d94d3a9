import type { Item, Transcript } from '../shared/transcript';
import { CallRow } from './callRow';
import { h } from './dom';
import { later } from './frames';
import { NoticeRow, TextRow } from './textRow';
import type { Row, Surroundings } from './view';

/** Bodies exist this far from the screen. */
const margin = '600px 0px';

/** How many rows of a session are there at once when it is opened, and how many older ones are made at a time. */
const newestRows = 40;
const olderRows = 50;

/** How much of an idle moment is left for something else, and how long older rows wait for one, in milliseconds. */
const spare = 20;
const patience = 100;

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
  /** Items to paint with the output that is new, in the order in which they came. */
  private readonly dirty = new Map<number, string | undefined>();
  /** Rows whose bodies are to be made. */
  private readonly arriving = new Set<Row>();
  private items: readonly Item[] = [];
  /** The items before this one have no rows yet. */
  private oldest = 0;
  private idle = 0;
  private atEnd = true;
  private top = 0;
  private readonly near: IntersectionObserver;

  constructor(private readonly around: Surroundings) {
    this.element.append(this.inner);
    this.near = new IntersectionObserver((entries) => this.crossed(entries), { root: this.element, rootMargin: margin });
    this.element.addEventListener('scroll', () => this.scrolled(), { passive: true });
    const resized = new ResizeObserver(() => this.stayAtEnd());
    resized.observe(this.inner);
    resized.observe(this.element); // what is below it may take room away
  }

  /** Shows another transcript, its end first. */
  reset(transcript: Transcript): void {
    for (const row of this.byElement.values()) {
      this.near.unobserve(row.element);
      row.unmount();
    }
    this.byElement.clear();
    this.arriving.clear();
    this.dirty.clear();
    this.rows = [];
    this.items = transcript.items;
    this.oldest = this.items.length;
    this.inner.replaceChildren();
    this.atEnd = true;
    this.prepend(newestRows);
    this.stayAtEnd();
    cancelIdleCallback(this.idle);
    this.goOnWhenIdle();
  }

  private goOnWhenIdle(): void {
    if (this.oldest > 0) {
      this.idle = requestIdleCallback((moment) => this.goBack(moment), { timeout: patience });
    }
  }

  /** Makes older rows as long as nothing else is to be done. */
  private goBack(moment: IdleDeadline): void {
    do {
      this.prepend(olderRows);
    } while (this.oldest > 0 && moment.timeRemaining() > spare);
    this.goOnWhenIdle();
  }

  private prepend(count: number): void {
    const from = Math.max(0, this.oldest - count);
    const fragment = document.createDocumentFragment();
    for (const item of this.items.slice(from, this.oldest)) {
      fragment.append(this.add(item).element);
    }
    this.oldest = from;
    this.inner.prepend(fragment);
  }

  /** An item was added or has changed; it is painted in one of the next frames. */
  changed(item: Item, delta?: string): void {
    const more = this.dirty.has(item.key);
    this.dirty.set(item.key, more ? undefined : delta);
    later(this.paint);
  }

  /** What is around the items has changed. */
  refresh(which: (item: Item) => boolean): void {
    for (const item of this.items) {
      if (which(item)) {
        this.changed(item);
      }
    }
  }

  /** Paints the first of the items that have changed. */
  private readonly paint = (): void => {
    const [next] = this.dirty;
    if (!next) {
      return;
    }
    const [key, delta] = next;
    this.dirty.delete(key);
    if (this.dirty.size > 0) {
      later(this.paint);
    }
    const row = this.rows[key];
    if (row) {
      row.update(delta);
    } else if (key >= this.oldest) {
      this.append(this.items[key]!);
    }
  };

  /** Adds a row below the others; its body comes in the same frame where there is time. */
  private append(item: Item): void {
    const row = this.add(item);
    this.inner.append(row.element);
    if (this.atEnd) {
      this.arriving.add(row);
      later(this.mountNext);
    }
  }

  private add(item: Item): Row {
    const row = makeRow(item, this.around);
    this.rows[item.key] = row;
    this.byElement.set(row.element, row);
    this.near.observe(row.element);
    return row;
  }

  /** Rows come near the screen and leave; the bodies nearest to its middle are made first. */
  private crossed(entries: readonly IntersectionObserverEntry[]): void {
    const distance = ({ boundingClientRect: at, rootBounds: root }: IntersectionObserverEntry) =>
      Math.abs(at.top + at.bottom - (root ? root.top + root.bottom : 0));
    for (const { target, isIntersecting } of [...entries].sort((a, b) => distance(a) - distance(b))) {
      const row = this.byElement.get(target);
      if (!row) {
        continue;
      }
      if (isIntersecting) {
        this.arriving.add(row);
      } else if (!target.contains(document.activeElement)) {
        this.arriving.delete(row);
        row.unmount();
      }
    }
    later(this.mountNext);
  }

  private readonly mountNext = (): void => {
    const [row] = this.arriving;
    if (!row) {
      return;
    }
    this.arriving.delete(row);
    if (this.arriving.size > 0) {
      later(this.mountNext);
    }
    row.mount();
  };

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
