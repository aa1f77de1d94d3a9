import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import type { AgentLs } from './api';
import { Changes } from './changes';
import { Chat, chatView } from './chat';
import { agentCommands } from './commands';
import { Connection, type ConnectionState } from './connection';
import { Decorations } from './decorations';
import { editorTools, LastEditor } from './editorTools';
import { servesElicitation } from './elicitation';
import { Follow } from './follow';
import { Review } from './review';
import { reviewCommands } from './reviewCommands';
import { servesSaving } from './saving';
import { Sessions } from './sessions';
import { needsRestart } from './settings';
import { StatusItem } from './status';
import { Tools } from './tools';

/** The parts, for tests that run in the extension host. */
export interface Testing extends AgentLs {
  readonly testing?: Parts;
}

interface Parts {
  readonly connection: Connection;
  readonly sessions: Sessions;
  readonly review: Review;
  readonly follow: Follow;
  readonly chat: Chat;
  /** How long activate took, in milliseconds. */
  readonly activation: number;
}

let connection: Connection | undefined;

/** Wires everything and returns; the server starts meanwhile. */
export function activate(context: vscode.ExtensionContext): Testing {
  const begin = performance.now();
  const log = vscode.window.createOutputChannel('Agent', { log: true });
  const tools = new Tools();
  const editor = new LastEditor();
  const listeners: ((client: LanguageClient) => void)[] = [];
  const server = new Connection(context.extensionPath, log, (client) => listeners.forEach((listen) => listen(client)));
  connection = server;
  const sessions = new Sessions(server, context.workspaceState, () => tools.manifest());
  const review = new Review(server);
  const follow = new Follow();
  const chat = new Chat({ extension: context.extensionUri, connection: server, sessions, review, follow, editor });
  listeners.push(
    (client) => sessions.listen(client),
    (client) => review.listen(client),
    (client) => tools.listen(client),
    servesSaving,
    servesElicitation,
  );
  editorTools(editor).forEach((tool) => tools.register(tool));
  tools.serve(sessions, log);
  context.subscriptions.push(
    log, tools, editor, review, follow, chat,
    new StatusItem(server, sessions, follow),
    new Decorations(review, context.extensionUri),
    reviewCommands(review, new Changes(review)),
    agentCommands({ chat, connection: server, sessions, follow }),
    vscode.window.registerWebviewViewProvider(chatView, chat, { webviewOptions: { retainContextWhenHidden: true } }),
    vscode.window.registerWebviewPanelSerializer(chatView, chat),
    server.onChange((state) => {
      onConnection(state, sessions, review, chat).catch((error: unknown) => log.error(String(error)));
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void server.start()),
    vscode.workspace.onDidChangeConfiguration((change) => needsRestart(change) && void server.start()),
  );
  void server.start();
  const activation = performance.now() - begin;
  log.info(`Activated in ${activation.toFixed(0)} ms`);
  return {
    version: 1,
    registerTool: (tool) => tools.register(tool),
    prompt: (text) => chat.prompt(text),
    ...(context.extensionMode === vscode.ExtensionMode.Test && {
      testing: { connection: server, sessions, review, follow, chat, activation },
    }),
  };
}

export async function deactivate(): Promise<void> {
  await connection?.dispose();
}

/** Brings sessions back when a server is there; says why when there is none. */
async function onConnection(
  state: ConnectionState,
  sessions: Sessions,
  review: Review,
  chat: Chat,
): Promise<void> {
  if (state.kind === 'starting') {
    review.clear();
    return;
  }
  if (state.kind === 'ready') {
    await sessions.recover();
    if (chat.isOpen || sessions.remembered) {
      await sessions.ensure();
    }
    return;
  }
  const settings = 'Open Settings';
  const showLog = 'Show Log';
  const restart = 'Start Again';
  const chosen = await vscode.window.showErrorMessage(state.problem, settings, showLog, restart);
  const command = chosen && { [settings]: 'agentLs.settings', [showLog]: 'agentLs.log', [restart]: 'agentLs.restart' }[chosen];
  if (command) {
    await vscode.commands.executeCommand(command);
  }
}
