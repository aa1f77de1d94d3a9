import type { FromView } from '../shared/messages';

declare function acquireVsCodeApi(): {
  postMessage(message: FromView): void;
  getState(): unknown;
  setState(state: unknown): void;
};

const api = acquireVsCodeApi();

/** Tells the extension something. */
export function send(message: FromView): void {
  api.postMessage(message);
}

/** What the page keeps over a reload of its own: the prompts that were typed. */
export interface Kept {
  readonly history: readonly string[];
  readonly draft: string;
}

export function kept(): Kept {
  return (api.getState() as Kept | undefined) ?? { history: [], draft: '' };
}

export function keep(state: Kept): void {
  api.setState(state);
}
