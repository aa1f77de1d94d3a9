import * as vscode from 'vscode';
import type { Chat } from './chat';
import type { Connection } from './connection';
import type { Follow } from './follow';
import type { Sessions } from './sessions';

export interface CommandParts {
  readonly chat: Chat;
  readonly connection: Connection;
  readonly sessions: Sessions;
  readonly follow: Follow;
}

/** Commands of the palette, the menus and the keyboard, but those of the review. */
export function agentCommands({ chat, connection, sessions, follow }: CommandParts): vscode.Disposable {
  const register = vscode.commands.registerCommand;
  return vscode.Disposable.from(
    register('agentLs.focusChat', () => chat.focus()),
    register('agentLs.openChatInEditor', () => chat.openTab()),
    register('agentLs.newSession', async () => {
      await sessions.create();
      await chat.focus();
    }),
    register('agentLs.sessions', () => chooseSession(sessions, chat)),
    register('agentLs.stop', () => sessions.current?.stop()),
    register('agentLs.allow', () => answer(sessions, 'allow_once')),
    register('agentLs.reject', () => answer(sessions, 'reject_once')),
    register('agentLs.toggleFollow', () => follow.toggle()),
    register('agentLs.setMode', () => chooseOption(sessions, 'mode')),
    register('agentLs.setModel', () => chooseOption(sessions, 'model')),
    register('agentLs.showTranscript', () => showTranscript(sessions)),
    register('agentLs.restart', () => connection.start()),
    register('agentLs.log', () => connection.log.show()),
    register('agentLs.settings', () => vscode.commands.executeCommand('workbench.action.openSettings', '@ext:agent-ls.agent-ls')),
    register('agentLs.menu', () => menu(connection)),
    register('agentLs.addSelection', () => chat.focus('@selection ')),
  );
}

/** Answers the oldest question of the current session. */
function answer(sessions: Sessions, kind: string): void {
  const question = sessions.current?.permissions[0];
  const option = question?.options.find((o) => o.kind === kind);
  if (question && option) {
    sessions.current?.answer(question.id, option.optionId);
  }
}

async function menu(connection: Connection): Promise<void> {
  const entries = [
    { label: '$(comment-discussion) Open the chat', command: 'agentLs.focusChat' },
    { label: '$(shield) Change the mode', command: 'agentLs.setMode' },
    { label: '$(hubot) Change the model', command: 'agentLs.setModel' },
    { label: '$(eye) Follow the agent, on or off', command: 'agentLs.toggleFollow' },
    { label: '$(history) Sessions', command: 'agentLs.sessions' },
    { label: '$(debug-restart) Restart the server', command: 'agentLs.restart' },
    { label: '$(output) Show the log', command: 'agentLs.log' },
  ];
  const title = connection.current.kind === 'failed' ? connection.current.problem : 'Agent';
  const chosen = await vscode.window.showQuickPick(entries, { title });
  if (chosen) {
    await vscode.commands.executeCommand(chosen.command);
  }
}

async function chooseOption(sessions: Sessions, id: string): Promise<void> {
  const session = await sessions.ensure();
  const option = session.transcript.options.find((o) => o.id === id);
  const entries = (option?.options ?? []).map((o) => ({
    label: o.name,
    description: o.value === option?.currentValue ? 'now' : undefined,
    detail: o.description,
    value: o.value,
  }));
  const chosen = await vscode.window.showQuickPick(entries, { title: option?.name, placeHolder: option?.description });
  if (chosen) {
    await sessions.setOption(id, chosen.value);
  }
}

interface SessionEntry extends vscode.QuickPickItem {
  readonly id: string;
}

/** Lists the sessions of this folder; choosing one shows it. */
async function chooseSession(sessions: Sessions, chat: Chat): Promise<void> {
  const pick = vscode.window.createQuickPick<SessionEntry>();
  pick.title = 'Sessions';
  pick.placeholder = 'Choose a session to go on with';
  pick.matchOnDescription = true;
  pick.ignoreFocusOut = true;
  pick.items = await entriesOf(sessions);
  pick.onDidTriggerItemButton(async ({ item }) => {
    const remove = 'Delete';
    const message = `Delete the session "${item.label}"? It cannot be brought back.`;
    if ((await vscode.window.showWarningMessage(message, { modal: true }, remove)) === remove) {
      await sessions.delete(item.id);
    }
    pick.items = await entriesOf(sessions);
  });
  pick.onDidAccept(async () => {
    const chosen = pick.selectedItems[0];
    pick.hide();
    if (chosen) {
      await sessions.load(chosen.id);
      await chat.focus();
    }
  });
  pick.onDidHide(() => pick.dispose());
  pick.show();
}

async function entriesOf(sessions: Sessions): Promise<SessionEntry[]> {
  const remove = { iconPath: new vscode.ThemeIcon('trash'), tooltip: 'Delete this session' };
  return (await sessions.list()).map(({ sessionId, title, updatedAt }) => ({
    id: sessionId,
    label: title || 'Session without a title',
    description: updatedAt ? new Date(updatedAt).toLocaleString() : undefined,
    detail: sessionId === sessions.current?.id ? 'shown now' : undefined,
    buttons: [remove],
  }));
}

/** Opens the session as a plain document, as screen readers like it best. */
async function showTranscript(sessions: Sessions): Promise<void> {
  const session = await sessions.ensure();
  const uri = vscode.Uri.from({ scheme: 'agent-ls', path: `/session/${session.id}/transcript.md` });
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
}
