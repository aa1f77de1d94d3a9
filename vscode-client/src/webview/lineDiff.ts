import { commonOf } from './compare';

/** The rows of a diff, without a DOM. */

/** Where a changed line differs from its partner, in UTF-16 units. */
export type Span = readonly [start: number, end: number];

export interface DiffRow {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
  /** Index of the line in the old text (removed, same) or the new one (added). */
  readonly index: number;
  /** The line that it took the place of, or that took its place. */
  readonly partner?: string;
}

/** Lines longer than this are not compared by word. */
const longestLine = 400;

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') {
    lines.pop();
  }
  return lines;
}

export function diffRows(oldText: string, newText: string): DiffRow[] {
  const before = linesOf(oldText);
  const after = linesOf(newText);
  const rows: DiffRow[] = [];
  let oldLine = 0;
  let newLine = 0;
  for (const same of [...commonOf(before, after), { old: before.length, new: after.length, length: 0 }]) {
    rows.push(...changedRows(before.slice(oldLine, same.old), after.slice(newLine, same.new), oldLine, newLine));
    oldLine = same.old + same.length;
    newLine = same.new + same.length;
    for (let i = same.old; i < oldLine; i++) {
      rows.push({ kind: 'same', text: before[i]!, index: i });
    }
  }
  return rows;
}

/** Lines that others took the place of; the first of them belongs to the first of those. */
function changedRows(removed: readonly string[], added: readonly string[], oldLine: number, newLine: number): DiffRow[] {
  return [
    ...removed.map((text, n): DiffRow => ({ kind: 'removed', text, index: oldLine + n, partner: added[n] })),
    ...added.map((text, n): DiffRow => ({ kind: 'added', text, index: newLine + n, partner: removed[n] })),
  ];
}

/** Where a row differs from its partner; empty where the whole line counts as changed. */
export function wordsOf({ kind, text, partner }: DiffRow): readonly Span[] {
  if (partner === undefined) {
    return [];
  }
  return kind === 'removed' ? changedWords(text, partner).old : changedWords(partner, text).new;
}

/** Where two lines differ by words; nothing when they have little in common. */
export function changedWords(before: string, after: string): { old: readonly Span[]; new: readonly Span[] } {
  if (before.length > longestLine || after.length > longestLine) {
    return { old: [], new: [] };
  }
  const oldWords = before.match(words) ?? [];
  const newWords = after.match(words) ?? [];
  const same = commonOf(oldWords, newWords);
  const kept = same.flatMap((s) => oldWords.slice(s.old, s.old + s.length)).reduce((n, word) => n + word.trim().length, 0);
  if (kept * 4 < Math.min(before.length, after.length)) {
    return { old: [], new: [] };
  }
  return {
    old: without(oldWords, same.map((s) => [s.old, s.old + s.length])),
    new: without(newWords, same.map((s) => [s.new, s.new + s.length])),
  };
}

/** Words, runs of space, and single other signs. */
const words = /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu;

/** The spans of a line that the given ranges of its words leave. */
function without(all: readonly string[], ranges: readonly Span[]): Span[] {
  const spans: Span[] = [];
  let offset = 0;
  let word = 0;
  for (const [start, end] of [...ranges, [all.length, all.length] as const]) {
    const from = offset;
    for (; word < start; word++) {
      offset += all[word]!.length;
    }
    if (offset > from) {
      spans.push([from, offset]);
    }
    for (; word < end; word++) {
      offset += all[word]!.length;
    }
  }
  return spans;
}

/** A run of changed rows: the index of its first row and what it removed. */
export interface RowHunk {
  readonly first: number;
  readonly end: number;
  readonly oldText: string;
}

export function rowHunks(rows: readonly DiffRow[]): RowHunk[] {
  const hunks: RowHunk[] = [];
  for (let i = 0; i < rows.length; i++) {
    if (rows[i]!.kind === 'same') {
      continue;
    }
    let end = i;
    while (end < rows.length && rows[end]!.kind !== 'same') {
      end++;
    }
    const removed = rows.slice(i, end).filter((r) => r.kind === 'removed');
    hunks.push({ first: i, end, oldText: removed.map((r) => r.text).join('\n') });
    i = end;
  }
  return hunks;
}
