// A user at the real workbench: keyboard alone, cards, permission, terminals, themes, accessibility.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { profile } from '../workbench.mjs';
import { openWorkbench } from './driver.mjs';

const here = path.resolve(import.meta.dirname, '../..');
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const pictures = process.env.VSCODE_CLIENT_PICTURES ?? fs.mkdtempSync(path.join(os.tmpdir(), 'vscode-client-pictures-'));

const greeter = `package main

import "fmt"

// greet says hello to someone.
func greet(name string) string {
	return "hello " + name
}

func main() {
	fmt.Println(greet("world"))
}
`;
const edit = `/edit {"file_path":"main.go","old_string":"return \\"hello \\" + name","new_string":"return fmt.Sprintf(\\"hello, %s!\\", name)"}`;

const place = profile(
  { 'main.go': greeter, 'README.md': '# Greeter\n\nTODO: other languages.\n' },
  { 'agentLs.mcpServers': { forms: { command: process.execPath, args: [path.join(import.meta.dirname, 'forms.mjs')] } } },
);
let workbench;
let user;

before(async () => {
  workbench = await openWorkbench(place, { development: here });
  user = workbench.user;
  await user.openChat();
  await user.widenChat(460);
});

after(async () => {
  await workbench?.close();
  place.remove();
});

/** Keeps a picture, and one of what went wrong. */
const picture = (name) => workbench.page.screenshot({ path: path.join(pictures, `${name}.png`) });
const step = (name, run) =>
  test(name, async (t) => {
    try {
      await run(t);
    } catch (error) {
      await workbench.page.screenshot({ path: `${process.env.VSCODE_CLIENT_FAILURES ?? place.dir}/ui.png` });
      throw error;
    }
  });

step('a prompt is typed and sent by the keyboard alone', async (t) => {
  await user.prompt('/read README.md');
  const card = user.card('Read README.md');
  await user.finished(card);
  await user.prompt('/read README.md');
  const ms = await user.chat.locator('body').evaluate(firstCard);
  t.diagnostic(`measured: first card after the prompt ${ms.toFixed(0)} ms`);
});

/** Sends a prompt and waits in the page until its card is painted; milliseconds. */
async function firstCard() {
  const input = document.querySelector('.prompt textarea');
  const cards = () => document.querySelectorAll('article.card').length;
  while (document.querySelector('.prompt .secondary:not([hidden])')) {
    await new Promise(requestAnimationFrame);
  }
  const before = cards();
  input.value = '/ls';
  input.dispatchEvent(new Event('input', { bubbles: true }));
  const begin = performance.now();
  input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
  input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
  while (cards() === before) {
    await new Promise(requestAnimationFrame);
  }
  return performance.now() - begin;
}

step('permission is answered in the card, by the keyboard and by a click', async () => {
  await user.openChat();
  await user.prompt(`/read main.go\n${edit}\n!echo 'a command'; seq 3`);
  const card = user.card('Edit main.go');
  await card.locator('.permission').waitFor();
  assert.match(await card.locator('.line.added').textContent(), /Sprintf/);
  await card.locator('.permission button.primary:enabled').waitFor();
  await picture('permission');
  await user.chord('y');
  const command = user.card("echo 'a command'");
  await command.locator('.permission', { hasText: 'seq 3' }).waitFor();
  await command.locator('.permission button.primary:enabled').click();
  await user.finished(command);
  await command.locator('.pill', { hasText: 'exit 0' }).waitFor();
  assert.match(fs.readFileSync(path.join(place.work, 'main.go'), 'utf8'), /Sprintf/);
  assert.equal(await user.chat.locator('.prompt textarea').inputValue(), '', 'the keys have typed nothing');
});

step('hunks are marked, kept and undone in the editor and in the card', async () => {
  await user.chord('j');
  await workbench.page.locator('.codelens-decoration a', { hasText: 'Undo' }).first().waitFor();
  await workbench.page.locator('.monaco-list-row', { hasText: 'main.go' }).first().waitFor();
  await user.openChat();
  const card = user.card('Edit main.go');
  await card.scrollIntoViewIfNeeded();
  await card.locator('.decisions button', { hasText: 'Undo' }).waitFor();
  for (const [name, id, kind] of [
    ['light', 'Light Modern', 'vscode-light'],
    ['contrast', 'Dark High Contrast', 'vscode-high-contrast'],
    ['dark', 'Dark Modern', 'vscode-dark'],
  ]) {
    await user.theme(id, kind);
    await noViolations(name);
    await picture(name);
  }
  await card.locator('.decisions button', { hasText: 'Undo' }).click();
  await card.locator('.decisions').waitFor({ state: 'detached' });
  assert.equal(fs.readFileSync(path.join(place.work, 'main.go'), 'utf8'), greeter);
});

/** No serious finding of axe in the chat, once the colours of a theme have arrived. */
async function noViolations(theme) {
  const frame = workbench.page.frames().find((f) => f.url().includes('fake.html'));
  await frame.evaluate(fs.readFileSync(axe, 'utf8'));
  let told;
  for (let attempt = 0; attempt < 10; attempt++) {
    const found = await frame.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
    const bad = found.violations.filter((v) => v.impact === 'serious' || v.impact === 'critical');
    told = bad.map((v) => `${v.id}: ${v.nodes.map((n) => `${n.html} ${n.failureSummary}`).join('\n')}`);
    if (told.length === 0) {
      return;
    }
    await workbench.page.waitForTimeout(500);
  }
  assert.deepEqual(told, [], theme);
}

step('commands and mentions are suggested and inserted by the keyboard', async () => {
  await user.openChat();
  const input = user.chat.locator('.prompt textarea');
  await user.keys.type('/gre');
  await user.chat.locator('.popup li[aria-selected="true"]', { hasText: '/grep' }).waitFor();
  await user.keys.press('Enter');
  await user.keys.type('@READ');
  await user.chat.locator('.popup li', { hasText: 'README.md' }).waitFor();
  await user.keys.press('Tab');
  assert.equal(await input.inputValue(), '/grep @README.md ');
  await input.fill('');
  await user.keys.press('ArrowUp');
  assert.match(await input.inputValue(), /a command/);
  await input.fill('');
});

step('a terminal streams, and ten thousand lines stay smooth', async (t) => {
  await user.chat.locator('select[aria-label="Mode"]').selectOption('full-access');
  await user.chat.locator('.prompt textarea').click();
  await user.prompt('!for i in 1 2 3; do echo "tick $i"; sleep 0.2; done; sleep 60');
  const ticking = user.card('for i in 1 2 3');
  await ticking.locator('.xterm-rows', { hasText: 'tick 3' }).waitFor();
  await ticking.locator('button', { hasText: 'Stop' }).click();
  await user.finished(ticking);
  await user.settled();
  const frames = user.chat.locator('body').evaluate(worstFrame, 'seq -f');
  await user.prompt("!seq -f 'line %g of a long output' 10000");
  await user.card('seq -f').locator('.pill').waitFor();
  const { worst, count } = await frames;
  t.diagnostic(`measured: 10,000 lines in the workbench, worst frame ${worst.toFixed(0)} ms of ${count}`);
  await user.card('seq -f').locator('.xterm-rows', { hasText: 'line 10000 of' }).waitFor();
});

step('the form of an MCP server is filled in by the keyboard', async () => {
  await user.openChat();
  await user.prompt('/mcp__forms__release {}');
  const quick = workbench.page.locator('.quick-input-widget');
  const step = (n) => quick.getByText(`What shall be released? (${n}/4)`).waitFor();
  await step(1); // the fields come sorted by name
  await user.keys.type('beta');
  await user.keys.press('Enter');
  await step(2);
  await user.keys.type('Spring');
  await user.keys.press('Enter');
  await step(3);
  await user.keys.press('Enter');
  await step(4);
  await user.keys.type('x');
  await quick.getByText('A whole number is needed').waitFor();
  await picture('form');
  await user.keys.press('Backspace');
  await user.keys.type('7');
  await user.keys.press('Enter');
  const card = user.card('release');
  await user.finished(card);
  await card.locator('.card-head[aria-expanded=false]').click();
  await card.locator('.pre', { hasText: '"action":"accept"' }).waitFor();
  const answered = /answered (.*)/.exec(await card.locator('.pre').first().textContent())[1];
  assert.deepEqual(JSON.parse(answered).content, { name: 'Spring', parts: 7, channel: 'beta', notify: true });
});

step('restoring a checkpoint shows first what it would change', async () => {
  await user.openChat();
  await user.prompt(`/read main.go\n${edit.replaceAll('hello,', 'hi,')}`);
  await user.finished(user.card('Edit main.go'));
  const file = path.join(place.work, 'main.go');
  assert.match(fs.readFileSync(file, 'utf8'), /hi,/);
  await user.chat.getByRole('button', { name: 'Restore checkpoint' }).last().click();
  const dialog = workbench.page.locator('.monaco-dialog-box');
  await dialog.getByText('main.go changes: +1 −1').waitFor();
  await picture('restore');
  await dialog.getByRole('button', { name: 'Show Changes' }).click();
  await workbench.page.locator('.tab', { hasText: 'What restoring the checkpoint changes' }).waitFor();
  await workbench.page.locator('.multiDiffEditor .monaco-diff-editor').first().waitFor();
  assert.match(fs.readFileSync(file, 'utf8'), /hi,/, 'nothing is changed before the answer');
  await user.showNotifications();
  await user.notification('Restore the checkpoint?').getByRole('button', { name: 'Restore' }).click();
  await user.chat.getByRole('button', { name: 'Restore checkpoint' }).last().waitFor();
  await until(() => fs.readFileSync(file, 'utf8') === greeter);
});

/** Waits until a condition holds. */
async function until(condition) {
  for (let attempt = 0; !condition(); attempt++) {
    assert.ok(attempt < 1800, `never came: ${condition}`);
    await workbench.page.waitForTimeout(100);
  }
}

step('a notification asks while the chat is hidden, and only then', async () => {
  await user.openChat();
  await user.chat.locator('select[aria-label="Mode"]').selectOption('ask');
  await user.chat.locator('.prompt textarea').click();
  await user.prompt('!while [ ! -e go ]; do sleep 0.1; done; rm go\n!echo seen while hidden');
  await user.card('while [').locator('.permission button.primary:enabled').waitFor();
  await user.chord('y');
  await user.card('while [').locator('.status.in_progress').waitFor();
  await user.keys.press('Control+b');
  await workbench.page.locator('.part.sidebar').waitFor({ state: 'hidden' });
  fs.writeFileSync(path.join(place.work, 'go'), '');
  await user.showNotifications();
  const asks = user.notification('The agent asks');
  await asks.getByText('echo seen while hidden').waitFor();
  assert.equal(await asks.count(), 1, 'the question that was seen asked by no notification');
  await picture('notification');
  await workbench.page.waitForTimeout(600); // it takes no answer in the first half second
  await asks.getByRole('button', { name: 'Allow' }).click();
  await user.openChat();
  await user.card('echo seen').locator('.pill', { hasText: 'exit 0' }).waitFor();
});

step('the chat is an editor tab too, and shows the same', async () => {
  await user.command('Agent: Open the Chat as an Editor Tab');
  await workbench.page.locator('.tab.active', { hasText: 'Agent' }).waitFor();
  const frames = () => workbench.page.frames().filter((f) => f.url().includes('fake.html'));
  await until(() => frames().length === 2);
  const cards = (frame) => frame.locator('article.card').count();
  await frames()[1].locator('article.card', { hasText: 'echo seen' }).last().waitFor();
  assert.equal(await cards(frames()[1]), await cards(frames()[0]));
  await frames()[1].locator('.prompt textarea').click();
  await user.prompt('/grep Println');
  for (const frame of frames()) {
    await frame.locator('article.card', { hasText: '"Println"' }).last().locator('.status.completed').waitFor();
  }
  await picture('tab');
  await user.keys.press('Control+w');
});

/** Measures frames until the card with a title is done. */
async function worstFrame(_body, title) {
  let last = performance.now();
  let worst = 0;
  let count = 0;
  const done = () =>
    [...document.querySelectorAll('article.card')].some((c) => c.textContent.includes(title) && c.dataset.status === 'completed');
  for (let after = 0; after < 30; after += done() ? 1 : 0) {
    const now = await new Promise(requestAnimationFrame);
    worst = Math.max(worst, now - last);
    last = now;
    count++;
  }
  return { worst, count };
}
