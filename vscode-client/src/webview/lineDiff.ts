import { diffArrays, diffWordsWithSpace } from 'diff';

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

/** A difference is computed no longer than this, in milliseconds, then the whole text counts as changed. */
const patience = 30;

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
  const parts = diffArrays(before, after, { timeout: patience }) ?? [
    { removed: true, added: false, value: before },
    { removed: false, added: true, value: after },
  ];
  const rows: DiffRow[] = [];
  let oldLine = 0;
  let newLine = 0;
  for (const [i, part] of parts.entries()) {
    const partner = parts[part.removed ? i + 1 : i - 1];
    const paired = part.removed ? partner?.added : part.added && partner?.removed;
    for (const [n, text] of part.value.entries()) {
      const kind = part.removed ? 'removed' : part.added ? 'added' : 'same';
      rows.push({ kind, text, index: part.added ? newLine + n : oldLine + n, partner: paired ? partner?.value[n] : undefined });
    }
    oldLine += part.added ? 0 : part.value.length;
    newLine += part.removed ? 0 : part.value.length;
  }
  return rows;
}

/** Where a row differs from its partner; empty where the whole line counts as changed. */
export function wordsOf({ kind, text, partner }: DiffRow): readonly Span[] {
  if (partner === undefined) {
    return [];
  }
  return kind === 'removed' ? changedWords(text, partner).old : changedWords(partner, text).new;
}

/** Where two lines differ by words; nothing when they have little in common. */
export function changedWords(before: string, after: string): { old: Span[]; new: Span[] } {
  if (before.length > longestLine || after.length > longestLine) {
    return { old: [], new: [] };
  }
  const spans = { old: [] as Span[], new: [] as Span[] };
  let oldAt = 0;
  let newAt = 0;
  let common = 0;
  for (const { value, added, removed } of diffWordsWithSpace(before, after)) {
    if (removed) {
      spans.old.push([oldAt, oldAt + value.length]);
      oldAt += value.length;
    } else if (added) {
      spans.new.push([newAt, newAt + value.length]);
      newAt += value.length;
    } else {
      common += value.trim().length;
      oldAt += value.length;
      newAt += value.length;
    }
  }
  return common * 4 < Math.min(before.length, after.length) ? { old: [], new: [] } : spans;
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
