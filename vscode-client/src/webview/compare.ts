/** Comparing two lists, of lines or of words: which of them stay. */

/** A stretch that both lists have: where it begins in each, and how long it is. */
export interface Common {
  readonly old: number;
  readonly new: number;
  readonly length: number;
}

/** How many differences are looked for where nothing holds the lists together. */
const maxDifferences = 500;

/** The part of each list that is still to be compared. */
interface Area {
  readonly old: number;
  readonly oldEnd: number;
  readonly new: number;
  readonly newEnd: number;
}

type Pair = readonly [old: number, new: number];

/**
 * Compares two lists. Entries that each list has just once hold them together;
 * between those the fewest differences are looked for, and where there are too
 * many, entries that both have equally often are taken. So its cost grows with
 * the lists and hardly with how much they differ. The answer is sorted; what is
 * in no stretch has changed.
 */
export function commonOf(before: readonly string[], after: readonly string[]): Common[] {
  return new Comparison(before, after).run();
}

/** Comparison works on numbers that stand for the entries. */
class Comparison {
  private readonly before: Int32Array;
  private readonly after: Int32Array;
  /** How often an area has an entry on each side; zero between areas. */
  private readonly oldCount: Int32Array;
  private readonly newCount: Int32Array;
  /** Where an area has an entry first in the new list, and next after each place. */
  private readonly first: Int32Array;
  private readonly following: Int32Array;
  private readonly found: Common[] = [];

  constructor(before: readonly string[], after: readonly string[]) {
    const numbers = new Map<string, number>();
    const numbered = (entries: readonly string[]) =>
      Int32Array.from(entries, (entry) => {
        const number = numbers.get(entry) ?? numbers.size;
        numbers.set(entry, number);
        return number;
      });
    this.before = numbered(before);
    this.after = numbered(after);
    this.oldCount = new Int32Array(numbers.size);
    this.newCount = new Int32Array(numbers.size);
    this.first = new Int32Array(numbers.size);
    this.following = new Int32Array(after.length);
  }

  run(): Common[] {
    const areas: Area[] = [{ old: 0, oldEnd: this.before.length, new: 0, newEnd: this.after.length }];
    for (let area = areas.pop(); area; area = areas.pop()) {
      const inner = this.trimmed(area);
      if (inner.old === inner.oldEnd || inner.new === inner.newEnd) {
        continue;
      }
      let anchors = this.anchorsOf(inner, 1);
      const same = anchors.length === 0 ? fewest(this.before, this.after, inner) : undefined;
      if (same) {
        this.found.push(...same);
        continue;
      }
      if (anchors.length === 0) {
        anchors = this.anchorsOf(inner, Infinity);
      }
      if (anchors.length > 0) {
        areas.push(...this.between(anchors, inner));
      }
    }
    return joined(this.found.sort((a, b) => a.old - b.old));
  }

  private take(old: number, at: number, length: number): void {
    if (length > 0) {
      this.found.push({ old, new: at, length });
    }
  }

  /** Takes what is equal at both ends of an area; the answer is what is left. */
  private trimmed(area: Area): Area {
    let { old, oldEnd, new: at, newEnd } = area;
    while (old < oldEnd && at < newEnd && this.before[old] === this.after[at]) {
      old++;
      at++;
    }
    while (oldEnd > old && newEnd > at && this.before[oldEnd - 1] === this.after[newEnd - 1]) {
      oldEnd--;
      newEnd--;
    }
    this.take(area.old, area.new, old - area.old);
    this.take(oldEnd, newEnd, area.oldEnd - oldEnd);
    return { old, oldEnd, new: at, newEnd };
  }

  /**
   * Pairs of entries that both sides have equally often, at most as often as
   * given, each with its counterpart; as many as are in the same order.
   */
  private anchorsOf(area: Area, often: number): Pair[] {
    const { before, after, oldCount, newCount, first, following } = this;
    for (let i = area.old; i < area.oldEnd; i++) {
      oldCount[before[i]!]!++;
    }
    for (let j = area.newEnd - 1; j >= area.new; j--) {
      const entry = after[j]!;
      newCount[entry]!++;
      following[j] = first[entry]!;
      first[entry] = j;
    }
    const pairs: Pair[] = [];
    for (let i = area.old; i < area.oldEnd; i++) {
      const entry = before[i]!;
      if (oldCount[entry]! <= often && oldCount[entry] === newCount[entry]) {
        const j = first[entry]!;
        first[entry] = following[j]!;
        pairs.push([i, j]);
      }
    }
    before.subarray(area.old, area.oldEnd).forEach((entry) => (oldCount[entry] = 0));
    after.subarray(area.new, area.newEnd).forEach((entry) => (newCount[entry] = 0));
    return longestRising(pairs);
  }

  /** Takes anchors; the answer is the areas between them. */
  private between(anchors: readonly Pair[], { old, oldEnd, new: at, newEnd }: Area): Area[] {
    const areas: Area[] = [];
    let start = old;
    for (const [i, j] of [...anchors, [oldEnd, newEnd] as const]) {
      if (i === old && j === at && i < oldEnd) {
        old++;
        at++;
        continue;
      }
      this.take(start, at - (old - start), old - start);
      if (i > old && j > at) {
        areas.push({ old, oldEnd: i, new: at, newEnd: j });
      }
      start = i;
      old = i + 1;
      at = j + 1;
    }
    return areas;
  }
}

/** Of pairs that are sorted by their first part the most whose second parts rise too. */
function longestRising(pairs: readonly Pair[]): Pair[] {
  const ends: number[] = []; // of the rising rows of each length, the index of the lowest end
  const previous: number[] = [];
  for (const [n, [, at]] of pairs.entries()) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[ends[middle]!]![1] < at) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    previous[n] = low > 0 ? ends[low - 1]! : -1;
    ends[low] = n;
  }
  const rising: Pair[] = [];
  for (let n = ends.at(-1) ?? -1; n >= 0; n = previous[n]!) {
    rising.push(pairs[n]!);
  }
  return rising.reverse();
}

/**
 * The stretches with the fewest differences (Myers 1986), undefined where there
 * are too many. How far each diagonal reaches is kept for each number of
 * differences, to find the way back.
 */
function fewest(before: Int32Array, after: Int32Array, area: Area): Common[] | undefined {
  const rows = area.oldEnd - area.old;
  const columns = area.newEnd - area.new;
  const reaches: Int32Array[] = [];
  let last = new Int32Array([0, 0, 0]);
  for (let d = 0; d <= Math.min(rows + columns, maxDifferences); d++) {
    const reach = new Int32Array(2 * d + 3);
    for (let k = -d; k <= d; k += 2) {
      let x = d === 0 ? 0 : stepsDown(last, d, k) ? reached(last, d - 1, k + 1) : reached(last, d - 1, k - 1) + 1;
      while (x < rows && x - k < columns && before[area.old + x] === after[area.new + x - k]) {
        x++;
      }
      reach[k + d + 1] = x;
      if (x >= rows && x - k >= columns) {
        return wayBack(reaches, area, d, k, rows);
      }
    }
    reaches.push(reach);
    last = reach;
  }
  return undefined;
}

/** How far diagonal k reached with d differences. */
function reached(reach: Int32Array, d: number, k: number): number {
  return reach[k + d + 1]!;
}

/** Whether diagonal k is reached best from the one above it, which adds an entry of the new list. */
function stepsDown(last: Int32Array, d: number, k: number): boolean {
  return k === -d || (k !== d && reached(last, d - 1, k - 1) < reached(last, d - 1, k + 1));
}

function wayBack(reaches: readonly Int32Array[], area: Area, d: number, k: number, x: number): Common[] {
  const found: Common[] = [];
  for (; d > 0; d--) {
    const last = reaches[d - 1]!;
    const down = stepsDown(last, d, k);
    const from = down ? reached(last, d - 1, k + 1) : reached(last, d - 1, k - 1);
    const start = down ? from : from + 1;
    found.push({ old: area.old + start, new: area.new + start - k, length: x - start });
    k += down ? 1 : -1;
    x = from;
  }
  found.push({ old: area.old, new: area.new, length: x });
  return found;
}

/** Joins stretches that go on where the one before ends, and leaves empty ones out. */
function joined(sorted: readonly Common[]): Common[] {
  const out: { old: number; new: number; length: number }[] = [];
  for (const part of sorted) {
    const last = out.at(-1);
    if (last && part.length > 0 && last.old + last.length === part.old && last.new + last.length === part.new) {
      last.length += part.length;
    } else if (part.length > 0) {
      out.push({ ...part });
    }
  }
  return out;
}
