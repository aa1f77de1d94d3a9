import type { DiffContent, ReviewHunk } from '../shared/acp';
import type { ReviewedFile } from '../shared/messages';
import { button, h } from './dom';
import { highlightLines, languageOf, type Piece } from './highlight';
import { send } from './host';
import { diffRows, rowHunks, wordsOf, type DiffRow, type RowHunk, type Span } from './lineDiff';
import { shortPath } from './view';

/** How many rows are shown at first, and with each request for more. */
const firstRows = 200;
const moreRows = 1000;

/** The changes of a call to one file after the other. */
export function diffView(diffs: readonly DiffContent[], cwd: string, review: readonly ReviewedFile[]): HTMLElement {
  const view = h('div', { class: 'diffs' });
  const byPath = Map.groupBy(diffs, (d) => d.path);
  for (const [path, parts] of byPath) {
    view.append(fileView(path, parts, cwd, review.find((f) => f.path === path)?.hunks ?? []));
  }
  return view;
}

function fileView(
  path: string,
  parts: readonly DiffContent[],
  cwd: string,
  hunks: readonly ReviewHunk[],
): HTMLElement {
  const name = shortPath(path, cwd);
  const rows = parts.map((part) => diffRows(part.oldText ?? '', part.newText));
  const count = (kind: DiffRow['kind']) => rows.reduce((n, part) => n + part.reduce((m, r) => m + (r.kind === kind ? 1 : 0), 0), 0);
  const what = parts.some((p) => p._meta?.kind === 'delete') ? 'deleted' : parts[0]!.oldText == null ? 'new' : '';
  const open = [...hunks];
  const blocks = parts.map((part, i) => block(part, rows[i]!, open));
  return h(
    'section',
    { class: 'diff', 'aria-label': `Changes of ${name}` },
    h(
      'div',
      { class: 'diff-head' },
      button(name, () => send({ type: 'open', path }), { class: 'link path', title: path }),
      what !== '' && h('span', { class: 'tag' }, what),
      h('span', { class: 'added-count' }, `+${count('added')}`),
      h('span', { class: 'removed-count' }, `−${count('removed')}`),
      button('Open diff', () => send({ type: 'openDiff', path }), { class: 'quiet', 'aria-label': `Open diff of ${name}` }),
    ),
    ...blocks,
    ...open.map((hunk) => decisions([hunk], `Line ${hunk.range.start.line + 1}`)),
  );
}

/** One diff; hunks of the review that are found in it are taken out of open. */
function block(part: DiffContent, rows: readonly DiffRow[], open: ReviewHunk[]): HTMLElement {
  const language = languageOf(part.path);
  const pieces = { old: highlightLines(part.oldText ?? '', language), new: highlightLines(part.newText, language) };
  const code = h('div', { class: 'code', tabindex: 0, role: 'group', 'aria-label': 'Diff' });
  const decided = new Map<number, RowHunk & { review: ReviewHunk }>();
  for (const hunk of rowHunks(rows)) {
    const at = open.findIndex((r) => r.oldText.replace(/\r?\n$/, '') === hunk.oldText);
    if (at >= 0) {
      decided.set(hunk.end, { ...hunk, review: open.splice(at, 1)[0]! });
    }
  }
  const show = (from: number, to: number) => {
    for (let i = from; i < Math.min(to, rows.length); i++) {
      code.append(line(rows[i]!, pieces));
      const hunk = decided.get(i + 1);
      if (hunk) {
        code.append(decisions([hunk.review], ''));
      }
    }
    if (to < rows.length) {
      const more = () => {
        code.lastElementChild?.remove();
        show(to, to + moreRows);
      };
      code.append(button(`Show more of ${rows.length - to} lines`, more, { class: 'quiet more' }));
    }
  };
  show(0, firstRows);
  return code;
}

function line(row: DiffRow, pieces: { old?: Piece[][]; new?: Piece[][] }): HTMLElement {
  const sign = { same: ' ', removed: '−', added: '+' }[row.kind];
  const coloured = (row.kind === 'added' ? pieces.new : pieces.old)?.[row.index] ?? [{ text: row.text, style: '' }];
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

/** Keep and Undo for hunks that are pending. */
export function decisions(hunks: readonly ReviewHunk[], label: string): HTMLElement {
  const ids = hunks.map((hunk) => hunk.id);
  const where = label || `line ${hunks[0]!.range.start.line + 1}`;
  const decide = (keep: boolean) => () => send({ type: 'decide', keep, hunks: ids });
  return h(
    'div',
    { class: 'decisions' },
    label !== '' && h('span', {}, label),
    button('Keep', decide(true), { class: 'quiet', 'aria-label': `Keep, ${where}` }),
    button('Undo', decide(false), { class: 'quiet', 'aria-label': `Undo, ${where}` }),
  );
}
