import type { CheckpointMark, PendingPermission, ReviewedFile } from '../shared/messages';
import type { CallItem, Item } from '../shared/transcript';

/** What the rows of the transcript show beside their items. */
export interface Surroundings {
  readonly cwd: string;
  permission(call: CallItem): PendingPermission | undefined;
  checkpoint(item: Item): CheckpointMark['id'] | undefined;
  review(call: CallItem): readonly ReviewedFile[];
}

/**
 * A row of the transcript. Its head is always there; its body, which may be
 * large, only while it is near the screen.
 */
export interface Row {
  readonly element: HTMLElement;
  /** The item, or what is around it, has changed; delta is output to append. */
  update(delta?: string): void;
  mount(): void;
  unmount(): void;
}

/** A path as people read it: relative when it is inside the session's folder. */
export function shortPath(path: string, cwd: string): string {
  const slashed = (p: string) => p.replaceAll('\\', '/');
  const inside = cwd !== '' && slashed(path).startsWith(`${slashed(cwd).replace(/\/$/, '')}/`);
  return inside ? path.slice(cwd.replace(/[\\/]$/, '').length + 1) : path;
}
