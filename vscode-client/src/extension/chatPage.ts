import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { FromView, ToView } from '../shared/messages';
import type { Timed } from '../shared/transcript';

/** How long updates are gathered before they are sent to a page, in milliseconds. */
const gathering = 16;

export interface PageEvents {
  ready(page: ChatPage): void;
  message(page: ChatPage, message: FromView): void;
}

/**
 * ChatPage is one webview with the chat in it: the view or an editor tab. What
 * is sent before it is ready is dropped; it then asks for everything.
 */
export class ChatPage implements vscode.Disposable {
  private isReady = false;
  private gathered: { id: string; updates: Timed[] } | undefined;
  private timer?: NodeJS.Timeout;
  private flushed = 0;
  private readonly listener: vscode.Disposable;

  constructor(
    readonly webview: vscode.Webview,
    extension: vscode.Uri,
    private readonly events: PageEvents,
  ) {
    const dist = vscode.Uri.joinPath(extension, 'dist');
    webview.options = { enableScripts: true, localResourceRoots: [dist] };
    this.listener = webview.onDidReceiveMessage((message: FromView) => this.receive(message));
    webview.html = html(webview, dist);
  }

  private receive(message: FromView): void {
    if (message.type === 'ready') {
      this.isReady = true;
      this.events.ready(this);
    } else {
      this.events.message(this, message);
    }
  }

  /** Sends a message; false when the page is not ready for it. */
  post(message: ToView): boolean {
    if (this.isReady) {
      this.flush();
      void this.webview.postMessage(message);
    }
    return this.isReady;
  }

  /** Sends updates, many at a time when they come fast. */
  postUpdates(id: string, updates: readonly Timed[]): void {
    if (!this.isReady) {
      return;
    }
    if (this.gathered?.id !== id) {
      this.flush();
      this.gathered = { id, updates: [] };
    }
    this.gathered.updates.push(...updates);
    // The first after a pause is sent at once.
    const wait = Math.max(0, this.flushed + gathering - Date.now());
    this.timer ??= setTimeout(() => this.flush(), wait);
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const gathered = this.gathered;
    this.gathered = undefined;
    if (gathered) {
      this.flushed = Date.now();
      void this.webview.postMessage({ type: 'updates', ...gathered } satisfies ToView);
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.listener.dispose();
  }
}

/**
 * The page. Scripts run only from the package, by nonce; style attributes are
 * allowed for the terminal, which colours its cells by them.
 */
function html(webview: vscode.Webview, dist: vscode.Uri): string {
  const nonce = randomBytes(16).toString('base64');
  const resource = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString();
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src-elem ${webview.cspSource} 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    'img-src data:',
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${resource('chat.css')}">
<title>Agent</title>
</head>
<body>
<div id="app"></div>
<script nonce="${nonce}" src="${resource('chat.js')}"></script>
</body>
</html>`;
}
