/**
 * Work that can wait, done between the frames that the browser paints: some of
 * it each time, so that no frame is late however much there is to show.
 */

/** How long the work of one frame goes on before the rest waits, in milliseconds. */
const budget = 10;

/** What waits, in the order in which it was asked for. */
const waiting = new Set<() => void>();
let frame = 0;

/** Does a piece of work in one of the next frames; asked for twice, it is done once. */
export function later(work: () => void): void {
  waiting.add(work);
  frame ||= requestAnimationFrame(run);
}

/** Leaves a piece of work undone. */
export function never(work: () => void): void {
  waiting.delete(work);
}

/** Goes on in the next frame also after a piece that has failed. */
function run(): void {
  frame = 0;
  const end = performance.now() + budget;
  try {
    for (const work of waiting) {
      waiting.delete(work);
      work();
      if (performance.now() >= end) {
        break;
      }
    }
  } finally {
    if (waiting.size > 0) {
      frame ||= requestAnimationFrame(run);
    }
  }
}
