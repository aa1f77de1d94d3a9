import type { DiffContent, ReviewHunk } from '../shared/acp';
import type { ReviewedFile } from '../shared/messages';
import { button, h } from './dom';
import { later, never } from './frames';
import { highlightLines, languageOf, type Piece } from './highlight';
import { send } from './host';
import { diffRows, rowHunks, wordsOf, type DiffRow, type RowHunk, type Span } from './lineDiff';
import { shortPath } from './view';

/** How many rows are shown at first, with each request for more, and made at a time. */
const firstRows = 200;
const moreRows = 1000;
const rowsAtOnce = 100;

/**
 * DiffView is the changes of a call to one file after the other. Files and rows
 * are made a few at a time; decisions of the review only change its buttons.
 */
export class DiffView {
  readonly element = h('div', { class: 'diffs' });
  private readonly files: FileView[] = [];
  private readonly waiting: (readonly [path: string, parts: readonly DiffContent[]])[];

  constructor(
    diffs: readonly DiffContent[],
    private readonly cwd: string,
    private reviewed: readonly ReviewedFile[],
  ) {
    this.waiting = [...Map.groupBy(diffs, (d) => d.path)];
    this.next();
  }

  /** Shows which hunks are pending now; the focus goes on to the next one. */
  review(reviewed: readonly ReviewedFile[]): void {
    this.reviewed = reviewed;
    const slot = document.activeElement?.closest('.slot');
    this.files.forEach((file) => file.review(this.hunks(file.path)));
    if (slot && slot.childElementCount === 0 && this.element.contains(slot)) {
      const buttons = [...this.element.querySelectorAll<HTMLElement>('.slot button:first-of-type')];
      const after = buttons.find((b) => slot.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING);
      (after ?? buttons.at(-1))?.focus();
    }
  }

  dispose(): void {
    never(this.next);
    this.files.forEach((file) => file.dispose());
  }

  private readonly next = (): void => {
    const [path, parts] = this.waiting.shift()!;
    const file = new FileView(path, parts, this.cwd);
    file.review(this.hunks(path));
    this.files.push(file);
    this.element.append(file.element);
    if (this.waiting.length > 0) {
      later(this.next);
    }
  };

  private hunks(path: string): readonly ReviewHunk[] {
    return this.reviewed.find((f) => f.path === path)?.hunks ?? [];
  }
}

/** FileView is the changes of a call to one file. */
class FileView {
  readonly element: HTMLElement;
  private readonly blocks: Block[];
  /** Pending hunks that are in no diff of the call any more. */
  private readonly others = h('div', { class: 'slot' });

  constructor(
    readonly path: string,
    parts: readonly DiffContent[],
    cwd: string,
  ) {
    const name = shortPath(path, cwd);
    this.blocks = parts.map((part) => new Block(part));
    const what = parts.some((p) => p._meta?.kind === 'delete') ? 'deleted' : parts[0]!.oldText == null ? 'new' : '';
    const count = (kind: DiffRow['kind']) => this.blocks.reduce((n, b) => n + b.rows.filter((r) => r.kind === kind).length, 0);
    const head = h(
      'div',
      { class: 'diff-head' },
      button(name, () => send({ type: 'open', path }), { class: 'link path', title: path }),
      what !== '' && h('span', { class: 'tag' }, what),
      h('span', { class: 'added-count' }, `+${count('added')}`),
      h('span', { class: 'removed-count' }, `−${count('removed')}`),
      button('Open diff', () => send({ type: 'openDiff', path }), { class: 'quiet', 'aria-label': `Open diff of ${name}` }),
    );
    this.element = h('section', { class: 'diff', 'aria-label': `Changes of ${name}` }, head, ...this.blocks.map((b) => b.element), this.others);
  }

  /** Gives each pending hunk to the rows that it is about, known by what they removed. */
  review(hunks: readonly ReviewHunk[]): void {
    const byText = Map.groupBy(hunks, (hunk) => hunk.oldText.replace(/\r?\n$/, ''));
    for (const block of this.blocks) {
      block.review((text) => byText.get(text)?.shift());
    }
    const others = [...byText.values()].flat();
    this.others.replaceChildren(...others.map((hunk) => decisions(hunk, `Line ${hunk.range.start.line + 1}`)));
  }

  dispose(): void {
    this.blocks.forEach((block) => block.dispose());
  }
}

/** Block is one diff: its rows, and below each run of changes a slot for the decision about it. */
class Block {
  readonly element = h('div', { class: 'code', tabindex: 0, role: 'group', 'aria-label': 'Diff' });
  readonly rows: readonly DiffRow[];
  private readonly hunks: readonly RowHunk[];
  private readonly language: string | undefined;
  /** Where a run of changes ends, and the slots there of the rows that are made. */
  private readonly ends: ReadonlySet<number>;
  private readonly slots = new Map<number, HTMLElement>();
  private pending = new Map<number, ReviewHunk>();
  private shown = 0;
  private limit = firstRows;

  constructor(part: DiffContent) {
    this.rows = diffRows(part.oldText ?? '', part.newText);
    this.hunks = rowHunks(this.rows);
    this.language = languageOf(part.path);
    this.ends = new Set(this.hunks.map(({ end }) => end));
    if (this.rows.length <= rowsAtOnce) {
      this.goOn();
    } else {
      later(this.goOn);
    }
  }

  /** Takes for each run of changes the pending hunk that it is, if any. */
  review(take: (oldText: string) => ReviewHunk | undefined): void {
    const before = this.pending;
    this.pending = new Map();
    for (const { end, oldText } of this.hunks) {
      const hunk = take(oldText);
      if (hunk) {
        this.pending.set(end, hunk);
      }
      if (hunk?.id !== before.get(end)?.id) {
        this.fill(end);
      }
    }
  }

  private fill(end: number): void {
    const hunk = this.pending.get(end);
    this.slots.get(end)?.replaceChildren(...(hunk ? [decisions(hunk, '')] : []));
  }

  dispose(): void {
    never(this.goOn);
  }

  private readonly goOn = (): void => {
    const end = Math.min(this.shown + rowsAtOnce, this.limit, this.rows.length);
    this.element.append(this.made(this.shown, end));
    this.shown = end;
    const left = this.rows.length - end;
    if (left > 0 && end < this.limit) {
      later(this.goOn);
    } else if (left > 0) {
      this.element.append(button(`Show more of ${left} lines`, () => this.more(), { class: 'quiet more' }));
    }
  };

  private more(): void {
    this.element.lastElementChild?.remove();
    this.limit += moreRows;
    this.goOn();
  }

  private made(from: number, to: number): HTMLElement {
    const rows = this.rows.slice(from, to);
    const coloured = colours(rows, this.language);
    const lines = h('div', { class: 'lines' });
    for (const [i, row] of rows.entries()) {
      lines.append(line(row, coloured[i]!));
      const end = from + i + 1;
      if (this.ends.has(end)) {
        const slot = h('div', { class: 'slot' });
        this.slots.set(end, slot);
        this.fill(end);
        lines.append(slot);
      }
    }
    return lines;
  }
}

/** The pieces of rows; old and new lines are coloured apart, each as one text. */
function colours(rows: readonly DiffRow[], language: string | undefined): readonly Piece[][] {
  const side = (left: DiffRow['kind']) => {
    const text = rows.filter((row) => row.kind !== left).map((row) => row.text);
    return highlightLines(text.join('\n'), language)?.values();
  };
  const old = side('added');
  const now = side('removed');
  return rows.map((row) => {
    const was = row.kind === 'added' ? undefined : old?.next().value;
    const is = row.kind === 'removed' ? undefined : now?.next().value;
    return (is as Piece[] | undefined) ?? (was as Piece[] | undefined) ?? [{ text: row.text, style: '' }];
  });
}

function line(row: DiffRow, coloured: readonly Piece[]): HTMLElement {
  const sign = { same: ' ', removed: '−', added: '+' }[row.kind];
  const text = h('span', { class: 'text' });
  for (const { text: part, style, changed } of withWords(coloured, wordsOf(row))) {
    text.append(style || changed ? h('span', { class: `${style}${changed ? ' word' : ''}`.trim() }, part) : part);
  }
  return h('div', { class: `line ${row.kind}` }, h('span', { class: 'sign' }, sign), text);
}

/** Cuts the coloured pieces of a line where its changed words begin and end. */
export function withWords(pieces: readonly Piece[], words: readonly Span[]): (Piece & { changed: boolean })[] {
  const out: (Piece & { changed: boolean })[] = [];
  let at = 0;
  for (const { text, style } of pieces) {
    const end = at + text.length;
    const cuts = words.flat().filter((c) => c > at && c < end);
    for (const to of [...cuts, end]) {
      const changed = words.some(([from, until]) => from <= at && to <= until);
      out.push({ text: text.slice(text.length - (end - at), text.length - (end - to)), style, changed });
      at = to;
    }
  }
  return out;
}

/** Keep and Undo for a hunk that is pending. */
function decisions({ id, range }: ReviewHunk, label: string): HTMLElement {
  const where = label || `line ${range.start.line + 1}`;
  const decide = (keep: boolean) => () => send({ type: 'decide', keep, hunks: [id] });
  return h(
    'div',
    { class: 'decisions' },
    label !== '' && h('span', {}, label),
    button('Keep', decide(true), { class: 'quiet', 'aria-label': `Keep, ${where}` }),
    button('Undo', decide(false), { class: 'quiet', 'aria-label': `Undo, ${where}` }),
  );
}
