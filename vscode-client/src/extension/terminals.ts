import * as vscode from 'vscode';
import type { Sessions } from './sessions';
import type { Session } from './session';

/**
 * Opens the terminal of a call as a terminal of the editor: what it has printed
 * and what it goes on to print. Ctrl+C in it ends the turn; it takes no input,
 * since the command's input is closed.
 */
export function openTerminal(sessions: Sessions, session: Session, callId: string): vscode.Terminal | undefined {
  const call = session.transcript.call(callId);
  if (!call?.terminal) {
    return undefined;
  }
  const pty = new CallTerminal(sessions, session, callId);
  const terminal = vscode.window.createTerminal({
    name: call.title.split('\n')[0]!.slice(0, 60),
    pty,
    iconPath: new vscode.ThemeIcon('hubot'),
  });
  terminal.show(false);
  return terminal;
}

const interrupt = '\u0003';

class CallTerminal implements vscode.Pseudoterminal {
  private readonly written = new vscode.EventEmitter<string>();
  readonly onDidWrite = this.written.event;
  private listener?: vscode.Disposable;
  private ended = false;

  constructor(
    private readonly sessions: Sessions,
    private readonly session: Session,
    private readonly callId: string,
  ) {}

  open(): void {
    const call = this.session.transcript.call(this.callId);
    this.write(`\u001b[1m$ ${call?.title ?? ''}\u001b[0m\n`);
    this.write(call?.terminal?.output ?? '');
    this.listener = this.sessions.onUpdates(({ session, updates }) => {
      for (const { update } of session === this.session ? updates : []) {
        if (update.sessionUpdate === 'tool_call_update' && update.toolCallId === this.callId) {
          this.write(update._meta?.terminal_output?.data ?? '');
        }
      }
      this.end();
    });
    this.end();
  }

  close(): void {
    this.listener?.dispose();
    this.written.dispose();
  }

  handleInput(data: string): void {
    if (data === interrupt && !this.ended) {
      this.session.stop();
    }
  }

  private write(text: string): void {
    this.written.fire(text.replace(/\r?\n/g, '\r\n'));
  }

  private end(): void {
    const exit = this.session.transcript.call(this.callId)?.terminal?.exit;
    if (exit && !this.ended) {
      this.ended = true;
      this.write(`\n\u001b[2m${exit.signal ? `Ended by signal ${exit.signal}` : `Exit code ${exit.code ?? 0}`}\u001b[0m\n`);
      this.listener?.dispose();
    }
  }
}
