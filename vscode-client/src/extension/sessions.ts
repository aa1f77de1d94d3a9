import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import type {
  ContentBlock,
  PermissionOutcome,
  PermissionRequest,
  PromptAnswer,
  SessionInfo,
  SessionOpened,
  SessionUpdate,
} from '../shared/acp';
import type { Timed } from '../shared/transcript';
import type { Connection } from './connection';
import { mcpServers } from './settings';
import { Session, type Checkpoint, type Peer, type SessionEvents } from './session';

/** Where the id of the current session is remembered, a workspace. */
const currentKey = 'agentLs.session';

/** The mode that denies everything but reading. */
const onlyReading = 'read-only';

/**
 * Sessions are the open sessions of this window; one of them is current, which
 * is the one that is shown. After a crash of the server they are read again.
 */
export class Sessions implements Peer, SessionEvents {
  private readonly open = new Map<string, Session>();
  private shown?: Session;
  private opening?: Promise<Session>;

  private readonly updated = new vscode.EventEmitter<{ session: Session; updates: readonly Timed[] }>();
  readonly onUpdates = this.updated.event;
  private readonly statusChanged = new vscode.EventEmitter<Session | undefined>();
  readonly onStatus = this.statusChanged.event;
  private readonly switched = new vscode.EventEmitter<Session | undefined>();
  /** The current session is another one, or was read again. */
  readonly onSwitch = this.switched.event;

  constructor(
    private readonly connection: Connection,
    private readonly memory: vscode.Memento,
    private readonly tools: () => unknown,
  ) {}

  get current(): Session | undefined {
    return this.shown;
  }

  /** Takes the server's requests and notifications about sessions. */
  listen(client: LanguageClient): void {
    client.onNotification('session/update', (p: { sessionId: string; update: SessionUpdate }) =>
      this.of(p.sessionId).update(p.update),
    );
    client.onRequest<PermissionOutcome, void>(
      'session/request_permission',
      (p: PermissionRequest, token: vscode.CancellationToken) => this.of(p.sessionId).ask(p, token),
    );
  }

  private of(id: string): Session {
    let session = this.open.get(id);
    if (!session) {
      session = new Session(id, folder(), this, this, this.connection.log);
      this.open.set(id, session);
    }
    return session;
  }

  /** Whether a session was current when the window was closed. */
  get remembered(): boolean {
    return this.memory.get<string>(currentKey) !== undefined;
  }

  /** The current session: the one that was current last time, else a new one. */
  ensure(): Promise<Session> {
    if (this.shown) {
      return Promise.resolve(this.shown);
    }
    this.opening ??= this.restoreOrCreate().finally(() => (this.opening = undefined));
    return this.opening;
  }

  private async restoreOrCreate(): Promise<Session> {
    const id = this.memory.get<string>(currentKey);
    if (id === undefined) {
      return this.create();
    }
    return this.load(id).catch((error: unknown) => {
      this.connection.log.info(`The last session is not there any more: ${String(error)}`);
      return this.create();
    });
  }

  async create(): Promise<Session> {
    const opened = await this.connection.running.sendRequest<SessionOpened>('session/new', this.params());
    const session = this.of(opened.sessionId!);
    this.takeOptions(session, opened);
    await this.restrict(session);
    this.show(session);
    return session;
  }

  /** Reads a stored session and shows it. */
  async load(id: string): Promise<Session> {
    const session = this.of(id);
    session.reset();
    session.replaying = true;
    try {
      const params = { ...this.params(), sessionId: id };
      const opened = await this.connection.running.sendRequest<SessionOpened>('session/load', params);
      this.takeOptions(session, opened);
      await this.restrict(session);
    } catch (error) {
      this.open.delete(id);
      throw error;
    } finally {
      session.replaying = false;
    }
    this.show(session);
    await session.findCheckpoints();
    return session;
  }

  /**
   * Reads the shown session again from a server that has been started again; the
   * others are read when the user goes back to them.
   */
  async recover(): Promise<void> {
    const current = this.shown;
    this.open.clear();
    if (current) {
      this.open.set(current.id, current);
      await this.load(current.id);
    }
  }

  async list(): Promise<SessionInfo[]> {
    const found: SessionInfo[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.connection.running.sendRequest<{ sessions: SessionInfo[]; nextCursor?: string }>(
        'session/list',
        { cwd: folder(), ...(cursor && { cursor }) },
      );
      found.push(...page.sessions);
      cursor = page.nextCursor;
    } while (cursor);
    return found;
  }

  async delete(id: string): Promise<void> {
    if (this.open.delete(id)) {
      await this.connection.running.sendRequest('session/close', { sessionId: id });
    }
    await this.connection.running.sendRequest('session/delete', { sessionId: id });
    if (this.shown?.id === id) {
      this.show(undefined);
    }
  }

  /** Sets an option, as mode and model are. */
  async setOption(configId: string, value: string): Promise<void> {
    if (!vscode.workspace.isTrusted && configId === 'mode' && value !== onlyReading) {
      throw new Error('The workspace is not trusted, so the agent only reads. Trust the workspace to change the mode.');
    }
    await this.sendOption(await this.ensure(), configId, value);
  }

  /** In a workspace that is not trusted a session only reads, whatever it did before. */
  private async restrict(session: Session): Promise<void> {
    if (!vscode.workspace.isTrusted) {
      await this.sendOption(session, 'mode', onlyReading);
    }
  }

  private async sendOption(session: Session, configId: string, value: string): Promise<void> {
    const params = { sessionId: session.id, configId, value };
    const answer = await this.connection.running.sendRequest<SessionOpened>('session/set_config_option', params);
    this.takeOptions(session, answer);
  }

  /** Gives the open sessions the tools that are declared now. */
  async declareTools(): Promise<void> {
    for (const session of this.open.values()) {
      await this.connection.running.sendRequest('_agent-ls/set_tools', { sessionId: session.id, ...(this.tools() as object) });
    }
  }

  get anyRunning(): boolean {
    return [...this.open.values()].some((session) => session.running);
  }

  prompt(sessionId: string, prompt: readonly ContentBlock[]): Promise<PromptAnswer> {
    return this.connection.running.sendRequest('session/prompt', { sessionId, prompt });
  }

  cancel(sessionId: string): void {
    void this.connection.running.sendNotification('session/cancel', { sessionId });
  }

  checkpoints(sessionId: string): Promise<readonly Checkpoint[]> {
    return this.connection.command('agent-ls.checkpoints', sessionId);
  }

  updates(session: Session, updates: readonly Timed[]): void {
    this.updated.fire({ session, updates });
  }

  status(session: Session): void {
    this.statusChanged.fire(session);
  }

  private takeOptions(session: Session, opened: SessionOpened): void {
    if (opened.configOptions) {
      session.update({ sessionUpdate: 'config_option_update', configOptions: opened.configOptions });
    }
  }

  private show(session: Session | undefined): void {
    this.shown = session;
    void this.memory.update(currentKey, session?.id);
    this.switched.fire(session);
    this.statusChanged.fire(session);
  }

  private params() {
    const folders = (vscode.workspace.workspaceFolders ?? []).map((f) => f.uri.fsPath);
    return {
      cwd: folder(),
      additionalDirectories: folders.slice(1),
      mcpServers: mcpServers(),
      _meta: { 'agent-ls/tools': this.tools() },
    };
  }
}

/** The folder that sessions work in: the first of the workspace. */
export function folder(): string {
  return vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? process.env['HOME'] ?? process.cwd();
}
