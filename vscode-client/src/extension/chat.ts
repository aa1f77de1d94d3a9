import * as vscode from 'vscode';
import type { FromView, PendingPermission, Status, ToView } from '../shared/messages';
import { ChatPage, type PageEvents } from './chatPage';
import { restoreCheckpoint } from './checkpoints';
import type { Connection } from './connection';
import type { LastEditor } from './editorTools';
import type { Follow } from './follow';
import { completeMention, promptBlocks } from './mentions';
import type { Review } from './review';
import { openDiff } from './reviewCommands';
import type { Session } from './session';
import type { Sessions } from './sessions';
import { openPlace } from './show';
import { openTerminal } from './terminals';
import { syntaxColours } from './themeColours';

export const chatView = 'agentLs.chat';

export interface ChatParts {
  readonly extension: vscode.Uri;
  readonly connection: Connection;
  readonly sessions: Sessions;
  readonly review: Review;
  readonly follow: Follow;
  readonly editor: LastEditor;
}

/**
 * Chat shows the current session in its pages and takes what users do there.
 * All pages show the same; they keep nothing that is not told them again.
 */
export class Chat implements vscode.WebviewViewProvider, vscode.WebviewPanelSerializer, PageEvents, vscode.Disposable {
  private readonly pages = new Set<ChatPage>();
  private readonly panels = new Set<vscode.WebviewPanel>();
  private view?: vscode.WebviewView;
  /** Where to put the caret, for the first page that is ready. */
  private later?: ToView;
  private readonly notified = new Set<PendingPermission['id']>();
  private readonly listeners: vscode.Disposable[];

  constructor(private readonly parts: ChatParts) {
    const { connection, sessions, review } = parts;
    const status = () => void this.postAll({ type: 'status', status: this.status() });
    this.listeners = [
      sessions.onUpdates(({ session, updates }) => this.updates(session, updates)),
      sessions.onSwitch(() => this.postAll(this.sessionMessage())),
      sessions.onStatus((session) => this.statusOf(session)),
      connection.onChange(status),
      review.onChange(() => this.postAll({ type: 'review', files: review.reviewed })),
      vscode.workspace.onDidGrantWorkspaceTrust(status),
    ];
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    const page = this.addPage(view.webview);
    view.onDidDispose(() => {
      this.view = undefined;
      this.removePage(page);
    });
    this.paintBadge();
  }

  /** Opens the chat as an editor tab. */
  openTab(): void {
    const panel = vscode.window.createWebviewPanel(chatView, 'Agent', vscode.ViewColumn.Active, {
      retainContextWhenHidden: true,
    });
    this.adopt(panel);
  }

  deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    this.adopt(panel);
    return Promise.resolve();
  }

  private adopt(panel: vscode.WebviewPanel): void {
    panel.iconPath = vscode.Uri.joinPath(this.parts.extension, 'media', 'agent.svg');
    const page = this.addPage(panel.webview);
    this.panels.add(panel);
    panel.onDidDispose(() => {
      this.panels.delete(panel);
      this.removePage(page);
    });
  }

  private addPage(webview: vscode.Webview): ChatPage {
    const page = new ChatPage(webview, this.parts.extension, this);
    this.pages.add(page);
    return page;
  }

  private removePage(page: ChatPage): void {
    this.pages.delete(page);
    page.dispose();
    this.setFocused(false);
  }

  /** Whether a page is there, seen or not. */
  get isOpen(): boolean {
    return this.pages.size > 0;
  }

  get visible(): boolean {
    return !!this.view?.visible || [...this.panels].some((panel) => panel.visible);
  }

  /** Puts the caret into the prompt box, with a text where one is given. */
  async focus(text?: string): Promise<void> {
    const panel = [...this.panels].find((p) => p.visible);
    if (panel) {
      panel.reveal();
    } else {
      await vscode.commands.executeCommand(`${chatView}.focus`);
    }
    const message: ToView = text === undefined ? { type: 'focus' } : { type: 'prefill', text };
    // A view that is opened for the first time has no page yet.
    this.later = this.postAll(message) ? undefined : message;
  }

  ready(page: ChatPage): void {
    page.post(this.sessionMessage());
    page.post({ type: 'status', status: this.status() });
    page.post({ type: 'review', files: this.parts.review.reviewed });
    if (this.later) {
      page.post(this.later);
      this.later = undefined;
    }
    if (this.parts.connection.current.kind === 'ready') {
      this.parts.sessions.ensure().catch((error: unknown) => this.parts.connection.log.error(String(error)));
    }
  }

  message(page: ChatPage, message: FromView): void {
    this.handle(page, message).catch((error: unknown) => {
      void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
    });
  }

  /** Sends a prompt to the current session. */
  async prompt(text: string) {
    const session = await this.parts.sessions.ensure();
    return session.prompt(text, await promptBlocks(text, this.parts.editor));
  }

  private async handle(page: ChatPage, message: FromView): Promise<void> {
    const { sessions, review } = this.parts;
    const session = sessions.current;
    switch (message.type) {
      case 'focused':
        return this.setFocused(message.focused);
      case 'prompt':
        return void (await this.prompt(message.text));
      case 'stop':
        return session?.stop();
      case 'unqueue':
        return session?.unqueue(message.id);
      case 'sendQueued':
        return session?.sendQueued(message.id);
      case 'answer':
        return session?.answer(message.id, message.optionId);
      case 'option':
        return sessions.setOption(message.id, message.value);
      case 'decide':
        return review.decide(message.keep, message.hunks);
      case 'complete': {
        const items = await completeMention(message.query);
        page.post({ type: 'completions', request: message.request, items });
        return;
      }
      case 'theme': {
        const colours = await syntaxColours(message.id);
        page.post({ type: 'colours', colours });
        return;
      }
      default:
        return this.open(message);
    }
  }

  /** Opens what the user has clicked. */
  private async open(message: FromView): Promise<void> {
    const { sessions } = this.parts;
    switch (message.type) {
      case 'open':
        return openPlace(message.path, message.line);
      case 'openDiff':
        return this.openDiff(message.path);
      case 'openLink':
        return void (await vscode.env.openExternal(vscode.Uri.parse(message.href, true)));
      case 'openTerminal':
        return void (sessions.current && openTerminal(sessions, sessions.current, message.callId));
      case 'copy':
        return vscode.env.clipboard.writeText(message.text);
      case 'restore':
        return restoreCheckpoint(this.parts.connection, message.checkpoint);
      case 'run':
        return void (await vscode.commands.executeCommand(`agentLs.${message.command}`));
      default:
        return undefined;
    }
  }

  /** Compares with the text before the agent's changes while there are any, else shows the file. */
  private async openDiff(path: string): Promise<void> {
    const uri = vscode.Uri.file(path);
    await (this.parts.review.hunks(uri).length > 0 ? openDiff(uri) : openPlace(path));
  }

  private updates(session: Session, updates: Parameters<Follow['take']>[0]): void {
    if (session !== this.parts.sessions.current || session.replaying) {
      return;
    }
    this.parts.follow.take(updates);
    for (const page of this.pages) {
      page.postUpdates(session.id, updates);
    }
  }

  private statusOf(session: Session | undefined): void {
    if (session === this.parts.sessions.current) {
      this.postAll({ type: 'status', status: this.status() });
      this.paintBadge();
    }
    for (const permission of session?.permissions ?? []) {
      const hidden = !this.visible || session !== this.parts.sessions.current;
      if (session && hidden && !this.notified.has(permission.id)) {
        this.notified.add(permission.id);
        void this.notify(session, permission);
      }
    }
  }

  /** Asks by a notification, while the question cannot be seen. */
  private async notify(session: Session, { id, call, options }: PendingPermission): Promise<void> {
    const once = options.filter((o) => o.kind.endsWith('_once'));
    const show = 'Show';
    const chosen = await vscode.window.showWarningMessage(
      `The agent asks: ${call.title ?? 'a call'}`,
      show,
      ...once.map((o) => o.name),
    );
    const option = once.find((o) => o.name === chosen);
    if (option) {
      session.answer(id, option.optionId);
    } else if (chosen === show) {
      await this.focus();
    }
  }

  private paintBadge(): void {
    const count = this.parts.sessions.current?.permissions.length ?? 0;
    if (this.view) {
      this.view.badge = count > 0 ? { value: count, tooltip: 'The agent waits for an answer' } : undefined;
    }
    void vscode.commands.executeCommand('setContext', 'agentLs.asks', count > 0);
    void vscode.commands.executeCommand('setContext', 'agentLs.running', !!this.parts.sessions.current?.running);
  }

  private setFocused(focused: boolean): void {
    this.parts.follow.chatFocused = focused;
    void vscode.commands.executeCommand('setContext', 'agentLs.chatFocused', focused);
  }

  private status(): Status {
    const state = this.parts.connection.current;
    const session = this.parts.sessions.current;
    return {
      connection: state.kind,
      problem: state.kind === 'failed' ? state.problem : undefined,
      running: session?.running ?? false,
      queue: session?.waiting ?? [],
      permissions: session?.permissions ?? [],
      checkpoints: session?.checkpoints ?? [],
      trusted: vscode.workspace.isTrusted,
    };
  }

  private sessionMessage(): ToView {
    const session = this.parts.sessions.current;
    return {
      type: 'session',
      id: session?.id ?? '',
      cwd: session?.cwd ?? '',
      snapshot: session?.transcript.snapshot() ?? { items: [], plan: [], commands: [], options: [] },
    };
  }

  /** Sends a message to all pages; false when none was ready for it. */
  private postAll(message: ToView): boolean {
    return [...this.pages].filter((page) => page.post(message)).length > 0;
  }

  dispose(): void {
    this.listeners.forEach((l) => l.dispose());
    this.pages.forEach((page) => page.dispose());
  }
}
