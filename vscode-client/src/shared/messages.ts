import type { PermissionOption, ReviewHunk, ToolCallFields } from './acp';
import type { Snapshot, Timed } from './transcript';

/** What the extension and its chat views say to each other. */

export interface PendingPermission {
  readonly id: number;
  readonly call: ToolCallFields;
  readonly options: readonly PermissionOption[];
}

export interface QueuedPrompt {
  readonly id: number;
  readonly text: string;
}

export interface CheckpointMark {
  /** Key of the user's message that the checkpoint was made for. */
  readonly key: number;
  readonly id: string;
}

/** What is not part of the transcript; it is always told as a whole. */
export interface Status {
  readonly connection: 'starting' | 'ready' | 'failed';
  /** Why it failed and what to do, for people. */
  readonly problem?: string;
  readonly running: boolean;
  readonly queue: readonly QueuedPrompt[];
  readonly permissions: readonly PendingPermission[];
  readonly checkpoints: readonly CheckpointMark[];
  /** Whether the workspace is trusted; if not, the mode stays read-only. */
  readonly trusted: boolean;
}

export interface ReviewedFile {
  readonly path: string;
  readonly hunks: readonly ReviewHunk[];
}

/** Colours of the syntax in the present theme, by the class of highlight.js. */
export type SyntaxColours = Readonly<Record<string, string>>;

export interface Completion {
  readonly label: string;
  readonly insert: string;
  readonly detail?: string;
  readonly icon: string;
}

export type ToView =
  | { readonly type: 'session'; readonly id: string; readonly cwd: string; readonly snapshot: Snapshot }
  | { readonly type: 'updates'; readonly id: string; readonly updates: readonly Timed[] }
  | { readonly type: 'status'; readonly status: Status }
  | { readonly type: 'review'; readonly files: readonly ReviewedFile[] }
  | { readonly type: 'colours'; readonly colours: SyntaxColours }
  | { readonly type: 'completions'; readonly request: number; readonly items: readonly Completion[] }
  | { readonly type: 'prefill'; readonly text: string }
  | { readonly type: 'focus' };

export type FromView =
  | { readonly type: 'ready' }
  | { readonly type: 'focused'; readonly focused: boolean }
  | { readonly type: 'theme'; readonly id: string }
  | { readonly type: 'prompt'; readonly text: string }
  | { readonly type: 'stop' }
  | { readonly type: 'unqueue' | 'sendQueued'; readonly id: number }
  | { readonly type: 'answer'; readonly id: number; readonly optionId: string }
  | { readonly type: 'option'; readonly id: string; readonly value: string }
  | { readonly type: 'complete'; readonly request: number; readonly query: string }
  | { readonly type: 'open'; readonly path: string; readonly line?: number }
  | { readonly type: 'openDiff'; readonly path: string }
  | { readonly type: 'openLink'; readonly href: string }
  | { readonly type: 'openTerminal'; readonly callId: string }
  | { readonly type: 'copy'; readonly text: string }
  | { readonly type: 'decide'; readonly keep: boolean; readonly hunks: readonly string[] }
  | { readonly type: 'restore'; readonly checkpoint: string }
  | { readonly type: 'run'; readonly command: 'newSession' | 'sessions' | 'settings' | 'restart' | 'log' };
