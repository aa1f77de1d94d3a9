import * as vscode from 'vscode';
import type { Connection } from './connection';
import type { Follow } from './follow';
import type { Sessions } from './sessions';

const followWords = { off: 'off', on: 'on', paused: 'paused; toggle it to go on' };

/** StatusItem shows mode, model, whether a turn runs, and follow. */
export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('agentLs.status', vscode.StatusBarAlignment.Right, 100);
  private readonly listeners: vscode.Disposable[];

  constructor(
    private readonly connection: Connection,
    private readonly sessions: Sessions,
    private readonly follow: Follow,
  ) {
    this.item.name = 'Agent';
    this.item.command = 'agentLs.menu';
    const paint = () => this.paint();
    this.listeners = [
      connection.onChange(paint),
      sessions.onStatus(paint),
      sessions.onUpdates(({ updates }) => {
        if (updates.some(({ update }) => /mode|config/.test(update.sessionUpdate))) {
          paint();
        }
      }),
      follow.onChange(paint),
    ];
    this.paint();
    this.item.show();
  }

  dispose(): void {
    this.item.dispose();
    this.listeners.forEach((l) => l.dispose());
  }

  private paint(): void {
    const state = this.connection.current;
    const session = this.sessions.current;
    const asks = (session?.permissions.length ?? 0) > 0;
    const options = session?.transcript.options ?? [];
    const shown = (id: string) => {
      const option = options.find((o) => o.id === id);
      return option?.options?.find((o) => o.value === option.currentValue)?.name ?? option?.currentValue;
    };
    const words = [shown('mode'), shown('model')].filter((w): w is string => w !== undefined);
    const follow = { off: '', on: ' $(eye)', paused: ' $(eye-closed)' }[this.follow.current];
    const icon = state.kind === 'failed' ? 'error' : asks ? 'question' : session?.running ? 'loading~spin' : 'hubot';
    this.item.text = `$(${icon}) ${words.join(' · ') || 'Agent'}${follow}`;
    const running = asks ? 'waits for an answer' : session?.running ? 'running' : 'idle';
    this.item.tooltip = state.kind === 'failed' ? state.problem : `agent-ls, ${running}. Follow is ${followWords[this.follow.current]}.`;
    this.item.accessibilityInformation = { label: `Agent, ${words.join(', ')}, ${running}, follow ${this.follow.current}` };
    this.item.backgroundColor =
      state.kind === 'failed' || asks ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
  }
}
