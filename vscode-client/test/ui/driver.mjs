// A user at the workbench: what is pressed, typed and seen.
import { launchBrowser, startWorkbench } from '../workbench.mjs';

/** How long something may take, in milliseconds: long, for a busy machine. */
const patience = 180_000;

/** Opens the workbench on a profile with the extension under development, or as installed. */
export async function openWorkbench(place, { development } = {}) {
  const server = await startWorkbench(place);
  const browser = await launchBrowser();
  const context = await browser.newContext({ viewport: { width: 1180, height: 760 } });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  const payload = [['skipWelcome', 'true'], ['skipReleaseNotes', 'true']];
  if (development) {
    payload.push(['extensionDevelopmentPath', `vscode-remote://${server.origin}${development}`]);
  }
  await page.goto(`http://${server.origin}/?folder=${place.work}&payload=${encodeURIComponent(JSON.stringify(payload))}`);
  await page.locator('.statusbar-item', { hasText: 'Agent' }).or(page.locator('.statusbar-item', { hasText: 'Direct' })).waitFor();
  return {
    page,
    user: new User(page),
    close: async () => {
      await browser.close();
      await server.stop();
    },
  };
}

export class User {
  constructor(page) {
    this.page = page;
    this.keys = page.keyboard;
  }

  /** The frame of the chat, the newest where there are several. */
  get chat() {
    return this.page.frameLocator('iframe.webview.ready').last().frameLocator('iframe#active-frame');
  }

  /** Runs a command of the palette by its title. */
  async command(title) {
    await this.keys.press('F1');
    await this.page.waitForSelector('.quick-input-widget input');
    await this.keys.type(title);
    await this.page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first().waitFor();
    await this.keys.press('Enter');
  }

  /** Opens the list of notifications: a workbench under test shows none by itself. */
  async showNotifications() {
    await this.command('Notifications: Show Notifications');
    await this.page.locator('.notifications-center.visible').waitFor();
  }

  /** The notifications in the list with a text. */
  notification(text) {
    return this.page.locator('.notifications-center .notification-list-item', { hasText: text });
  }

  /** Opens the chat by the keyboard and waits for the caret in its box. */
  async openChat() {
    await this.chord('c');
    await this.settled();
  }

  /** Waits until the caret is in the box of the chat and stays there. */
  async settled() {
    const end = Date.now() + patience;
    for (let stays = 0; stays < 4; ) {
      if (Date.now() > end) {
        throw new Error('the caret never came to the box of the chat');
      }
      await this.page.waitForTimeout(100);
      const inChat = await this.page.evaluate(() => document.activeElement?.matches('iframe.webview') ?? false);
      const inBox = inChat && (await this.chat.locator('.prompt textarea:focus').isVisible());
      stays = inBox ? stays + 1 : 0;
    }
  }

  /** Drags the edge of the side bar. */
  async widenChat(x) {
    const edge = await this.page.locator('.part.sidebar').boundingBox();
    await this.page.mouse.move(edge.x + edge.width + 1, 400);
    await this.page.mouse.down();
    await this.page.mouse.move(x, 400, { steps: 5 });
    await this.page.mouse.up();
    await this.page.mouse.move(x + 300, 600);
  }

  /** Alt+A, then Alt and a letter. */
  async chord(key) {
    await this.keys.press('Alt+a');
    await this.keys.press(`Alt+${key}`);
  }

  /** Types a prompt into the box that has the focus and sends it. */
  async prompt(text) {
    const lines = text.split('\n');
    for (const [i, line] of lines.entries()) {
      if (i > 0) {
        await this.keys.press('Shift+Enter');
      }
      await this.keys.type(line);
      await this.keys.press('Escape'); // closes the suggestions
    }
    await this.keys.press('Enter');
  }

  /** The last card with a title. */
  card(title) {
    return this.chat.locator('article.card', { hasText: title }).last();
  }

  async finished(card) {
    await card.locator('.status.completed, .status.failed').waitFor();
  }

  /** Chooses a colour theme by the keyboard. */
  async theme(name, kind) {
    await this.keys.press('Control+k');
    await this.keys.press('Control+t');
    await this.page.locator('.quick-input-list .monaco-list-row').nth(3).waitFor();
    await this.keys.type(name);
    await this.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: name }).waitFor();
    await this.keys.press('Enter');
    await this.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
    await this.chat.locator(`body[data-vscode-theme-kind="${kind}"]`).waitFor();
  }
}
