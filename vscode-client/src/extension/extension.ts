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
  const tools = new Tools();
  const editor = new LastEditor();
  const parts = makeParts(context, tools, editor);
  connection = parts.connection;
  editorTools(editor).forEach((tool) => tools.register(tool));
  tools.serve(parts.sessions, parts.connection.log);
  context.subscriptions.push(tools, editor, ...registrations(context, parts));
  void parts.connection.start();
  const activation = performance.now() - begin;
  parts.connection.log.info(`Activated in ${activation.toFixed(0)} ms`);
  return {
    version: 1,
    registerTool: (tool) => tools.register(tool),
    prompt: (text) => parts.chat.prompt(text),
    ...(context.extensionMode === vscode.ExtensionMode.Test && { testing: { ...parts, activation } }),
  };
}

/** Makes the parts that hold state, and lets them listen to the server. */
function makeParts(context: vscode.ExtensionContext, tools: Tools, editor: LastEditor): Omit<Parts, 'activation'> {
  const log = vscode.window.createOutputChannel('Agent', { log: true });
  const listeners: ((client: LanguageClient) => void)[] = [];
  const server = new Connection(context.extensionPath, log, (client) => listeners.forEach((listen) => listen(client)));
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
  return { connection: server, sessions, review, follow, chat };
}

/** What the editor calls, and what shows the parts in it. */
function registrations(
  { extensionUri }: vscode.ExtensionContext,
  { connection: server, sessions, review, follow, chat }: Omit<Parts, 'activation'>,
): vscode.Disposable[] {
  return [
    server.log,
    review,
    follow,
    chat,
    new StatusItem(server, sessions, follow),
    new Decorations(review, extensionUri),
    reviewCommands(review, new Changes(review)),
    agentCommands({ chat, connection: server, sessions, follow }),
    vscode.window.registerWebviewViewProvider(chatView, chat, { webviewOptions: { retainContextWhenHidden: true } }),
    vscode.window.registerWebviewPanelSerializer(chatView, chat),
    server.onChange((state) => {
      onConnection(state, sessions, review, chat).catch((error: unknown) => server.log.error(String(error)));
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void server.start()),
    vscode.workspace.onDidChangeConfiguration((change) => needsRestart(change) && void server.start()),
  ];
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
