import * as vscode from 'vscode';
import type { ContentBlock, PermissionOutcome, PermissionRequest, PromptAnswer, SessionUpdate } from '../shared/acp';
import type { CheckpointMark, PendingPermission, QueuedPrompt } from '../shared/messages';
import { Transcript, type Item, type TextItem, type Timed } from '../shared/transcript';

/** The server's side of a session, as a session needs it. */
export interface Peer {
  prompt(sessionId: string, blocks: readonly ContentBlock[]): Promise<PromptAnswer>;
  cancel(sessionId: string): void;
  checkpoints(sessionId: string): Promise<readonly Checkpoint[]>;
}

/** A checkpoint as agent-ls.checkpoints lists it. */
export interface Checkpoint {
  readonly id: string;
  readonly prompt: string;
  readonly files: readonly string[];
}

interface Queued extends QueuedPrompt {
  readonly blocks: readonly ContentBlock[];
  readonly done: (answer: PromptAnswer) => void;
}

/** How long a new question takes no answer, so that typing ahead cannot answer it, in milliseconds. */
export const answerDelay = 500;

interface Question extends PendingPermission {
  readonly since: number;
  readonly answer: (outcome: PermissionOutcome) => void;
}

export interface SessionEvents {
  updates(session: Session, updates: readonly Timed[]): void;
  status(session: Session): void;
}

/**
 * Session is one conversation: its transcript, the prompts that wait and the
 * questions that are open. What it means is the server's; this is what is shown.
 */
export class Session {
  transcript = new Transcript();
  checkpoints: readonly CheckpointMark[] = [];
  /** Set while a stored session is being read: its times are unknown. */
  replaying = false;
  private listed: readonly Checkpoint[] = [];
  private queue: Queued[] = [];
  private questions: Question[] = [];
  private turn = false;
  private held = false;
  private count = 0;

  constructor(
    readonly id: string,
    readonly cwd: string,
    private readonly peer: Peer,
    private readonly events: SessionEvents,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  get running(): boolean {
    return this.turn;
  }

  get waiting(): readonly QueuedPrompt[] {
    return this.queue.map(({ id, text }) => ({ id, text }));
  }

  get permissions(): readonly PendingPermission[] {
    return this.questions.map(({ id, call, options }) => ({ id, call, options }));
  }

  /** Takes an update of the server. */
  update(update: SessionUpdate): void {
    const timed: Timed = this.replaying ? { update } : { update, at: Date.now() };
    this.transcript.apply(timed);
    this.events.updates(this, [timed]);
  }

  /** Sends a prompt when those before it are done; resolves with its answer. */
  prompt(text: string, blocks: readonly ContentBlock[]): Promise<PromptAnswer> {
    return new Promise((done) => {
      this.queue.push({ id: ++this.count, text, blocks, done });
      this.events.status(this);
      this.held = false;
      void this.runQueue();
    });
  }

  /** Ends the running turn. What waits stays until the user sends it. */
  stop(): void {
    this.held = this.queue.length > 0;
    if (this.turn) {
      this.peer.cancel(this.id);
    }
    this.withdrawAll();
  }

  unqueue(id: number): void {
    const gone = this.queue.find((q) => q.id === id);
    this.queue = this.queue.filter((q) => q !== gone);
    gone?.done({ stopReason: 'cancelled' });
    this.events.status(this);
  }

  /** Sends a waiting prompt next, ending what runs. */
  sendQueued(id: number): void {
    const next = this.queue.find((q) => q.id === id);
    if (!next) {
      return;
    }
    this.queue = [next, ...this.queue.filter((q) => q !== next)];
    this.held = false;
    if (this.turn) {
      this.peer.cancel(this.id);
    }
    void this.runQueue();
  }

  private async runQueue(): Promise<void> {
    while (!this.turn && !this.held) {
      const next = this.queue.shift();
      if (!next) {
        return;
      }
      next.done(await this.runTurn(next));
    }
  }

  private async runTurn({ blocks }: Queued): Promise<PromptAnswer> {
    this.turn = true;
    const messageId = `prompt-${++this.count}`;
    for (const content of blocks) {
      this.update({ sessionUpdate: 'user_message_chunk', content, messageId });
    }
    this.events.status(this);
    let answer: PromptAnswer;
    try {
      answer = await this.peer.prompt(this.id, blocks);
    } catch (error) {
      answer = { stopReason: 'error' };
      this.held = this.queue.length > 0;
      const message = error instanceof Error ? error.message : String(error);
      this.update({ sessionUpdate: 'notice', severity: 'error', title: 'The turn failed', description: message });
    }
    this.turn = false;
    this.withdrawAll();
    this.events.status(this);
    await this.findCheckpoints();
    return answer;
  }

  /** Puts a question to the user; the token withdraws it. */
  ask(request: PermissionRequest, token: vscode.CancellationToken): Promise<PermissionOutcome> {
    return new Promise((resolve) => {
      const id = ++this.count;
      const { toolCall: call, options } = request;
      const answer = (outcome: PermissionOutcome) => {
        if (this.questions.some((q) => q.id === id)) {
          this.questions = this.questions.filter((q) => q.id !== id);
          resolve(outcome);
          this.events.status(this);
        }
      };
      this.questions.push({ id, call, options, answer, since: Date.now() });
      token.onCancellationRequested(() => answer(cancelled));
      this.events.status(this);
    });
  }

  /** Answers a question; one that is gone or too new, or an option it has not, is ignored. */
  answer(id: number, optionId: string): void {
    const question = this.questions.find((q) => q.id === id);
    if (question && Date.now() - question.since >= answerDelay && question.options.some((o) => o.optionId === optionId)) {
      question.answer({ outcome: { outcome: 'selected', optionId } });
    }
  }

  private withdrawAll(): void {
    for (const question of this.questions) {
      question.answer(cancelled);
    }
  }

  /** Forgets what was shown and what ran, before the session is read again. */
  reset(): void {
    this.withdrawAll();
    this.transcript = new Transcript();
    this.checkpoints = [];
  }

  /** Looks which prompts have checkpoints that something has changed since. */
  async findCheckpoints(): Promise<void> {
    try {
      this.listed = await this.peer.checkpoints(this.id);
      const marks = matchCheckpoints(this.transcript.items, this.listed);
      this.checkpoints = marks.filter((mark) => this.filesSince(mark.id).length > 0);
      this.events.status(this);
    } catch (error) {
      this.log.debug(`No checkpoints of session ${this.id}: ${String(error)}`);
    }
  }

  /** The files that going back to a checkpoint may change, sorted. */
  filesSince(checkpoint: string): string[] {
    const at = this.listed.findIndex((c) => c.id === checkpoint);
    const newer = at < 0 ? [] : this.listed.slice(0, at + 1);
    return [...new Set(newer.flatMap((c) => c.files))].sort();
  }
}

const cancelled: PermissionOutcome = { outcome: { outcome: 'cancelled' } };

/**
 * Finds for each of the user's messages its checkpoint, from the newest on.
 * Those that a restore has made are for no message.
 */
export function matchCheckpoints(items: readonly Item[], listed: readonly Checkpoint[]): CheckpointMark[] {
  const prompts = items.filter((item): item is TextItem => item.type === 'user').reverse();
  const marks: CheckpointMark[] = [];
  let next = 0;
  for (const item of prompts) {
    const found = listed.findIndex((c, i) => i >= next && c.prompt.trim() === item.text.trim());
    if (found >= 0) {
      marks.push({ key: item.key, id: listed[found]!.id });
      next = found + 1;
    }
  }
  return marks;
}
