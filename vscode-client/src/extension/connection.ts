import * as vscode from 'vscode';
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  State,
  type ClientCapabilities,
  type LanguageClientOptions,
  type StaticFeature,
} from 'vscode-languageclient/node';
import { findServer, MissingServer } from './binary';
import { settings } from './settings';

/** What a connection does with requests and notifications of the server. */
export type Listen = (client: LanguageClient) => void;

export type ConnectionState =
  | { readonly kind: 'starting' }
  | { readonly kind: 'ready'; readonly restarted: boolean }
  | { readonly kind: 'failed'; readonly problem: string };

/** What the client offers as an ACP client; files go by LSP. */
const acpCapabilities = {
  _meta: { terminal_output: true },
  session: { notices: {}, configOptions: {} },
  elicitation: { form: {}, url: {} },
};

/** Declares the session methods in the language client's initialize. */
class SessionMethods implements StaticFeature {
  fillClientCapabilities(capabilities: ClientCapabilities): void {
    capabilities.experimental = { ...(capabilities.experimental as object | undefined), acp: acpCapabilities };
  }
  initialize(): void {}
  getState() {
    return { kind: 'static' as const };
  }
  clear(): void {}
}

/** A crash this soon after the one before gives up: the server is broken. */
const crashWindow = 60_000;
const maxCrashes = 4;

/**
 * Connection owns the server's process: it starts it, starts it again after a
 * crash, and ends it. One client at a time; starting again waits for the end of
 * the one before.
 */
export class Connection implements vscode.Disposable {
  private client?: LanguageClient;
  private work: Promise<void> = Promise.resolve();
  private crashes: number[] = [];
  private state: ConnectionState = { kind: 'starting' };
  private readonly changed = new vscode.EventEmitter<ConnectionState>();
  readonly onChange = this.changed.event;

  constructor(
    private readonly extensionPath: string,
    readonly log: vscode.LogOutputChannel,
    private readonly listen: Listen,
  ) {}

  get current(): ConnectionState {
    return this.state;
  }

  /** The running client. Throws what people should read when there is none. */
  get running(): LanguageClient {
    if (this.client?.state !== State.Running) {
      throw new Error(this.state.kind === 'failed' ? this.state.problem : 'agent-ls is not running yet; try again in a moment.');
    }
    return this.client;
  }

  /** Runs a command of the server. */
  command<T>(command: string, ...args: unknown[]): Promise<T> {
    return this.running.sendRequest<T>('workspace/executeCommand', { command, arguments: args });
  }

  /** Starts the server, or starts it again; resolves when it runs or has failed. */
  start(): Promise<void> {
    this.work = this.work.then(async () => {
      await this.stopClient();
      this.crashes = [];
      this.set({ kind: 'starting' });
      try {
        await this.startClient();
      } catch (error) {
        await this.stopClient();
        this.fail(error);
      }
    });
    return this.work;
  }

  dispose(): Promise<void> {
    this.changed.dispose();
    this.work = this.work.then(() => this.stopClient());
    return this.work;
  }

  private async startClient(): Promise<void> {
    const chosen = settings();
    const server = await findServer({
      setting: chosen.serverPath,
      extension: this.extensionPath,
      path: process.env['PATH'] ?? '',
    });
    this.log.info(`Server ${server.command}, version ${server.version}`);
    const args = ['lsp'];
    if (chosen.configFile !== '') {
      args.push('--config', chosen.configFile);
    }
    if (!vscode.workspace.isTrusted) {
      args.push('--mode', 'read-only');
    }
    const cwd = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    const executable = { command: server.command, args, options: { cwd } };
    const client = new LanguageClient('agentLs', 'agent-ls', executable, this.options(chosen.model, chosen.mode));
    client.registerFeature(new SessionMethods());
    this.listen(client);
    client.onDidChangeState(({ oldState, newState }) => {
      if (newState === State.Running && this.client === client && oldState === State.Starting) {
        this.set({ kind: 'ready', restarted: this.crashes.length > 0 });
      }
    });
    this.client = client;
    await client.start();
  }

  private options(model: string, mode: string): LanguageClientOptions {
    return {
      documentSelector: [{ scheme: 'file' }],
      initializationOptions: { ...(model && { model }), ...(mode && { mode }) },
      outputChannel: this.log,
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => this.crashed(),
      },
    };
  }

  private crashed() {
    const now = Date.now();
    this.crashes = [...this.crashes.filter((at) => now - at < crashWindow), now];
    if (this.crashes.length > maxCrashes) {
      this.fail(new Error('The agent-ls server keeps ending. Its log says why; then start it again.'));
      return { action: CloseAction.DoNotRestart, handled: true };
    }
    this.log.warn('The server has ended; starting it again');
    this.set({ kind: 'starting' });
    return { action: CloseAction.Restart, handled: true };
  }

  private fail(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.log.error(message);
    const problem = error instanceof MissingServer ? message : `The agent-ls server did not start: ${message}`;
    this.set({ kind: 'failed', problem });
  }

  private async stopClient(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client) {
      await client.dispose().catch((error: unknown) => this.log.warn(`The server did not end well: ${String(error)}`));
    }
  }

  private set(state: ConnectionState): void {
    this.state = state;
    this.changed.fire(state);
  }
}
