// The package, installed into a fresh profile with nothing else configured, not even the program on PATH.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { installExtension, profile } from '../workbench.mjs';
import { openWorkbench } from '../ui/driver.mjs';

const untrusted = { 'security.workspace.trust.enabled': true, 'security.workspace.trust.startupPrompt': 'never' };

test('the package works in a fresh profile, and only reads while the workspace is not trusted', async (t) => {
  const place = profile({ 'a.txt': 'from a file\n' }, untrusted, { onPath: false });
  const file = path.resolve(import.meta.dirname, `../../agent-ls-linux-${process.arch}.vsix`);
  t.diagnostic(`measured: package ${(fs.statSync(file).size / 2 ** 20).toFixed(1)} MiB`);
  await installExtension(place, file);
  const { user, close } = await openWorkbench(place);
  try {
    await user.openChat();
    await user.prompt('/read a.txt');
    const card = user.card('Read a.txt');
    await user.finished(card);
    assert.equal(await card.locator('.status.completed').count(), 1);
    assert.equal(await user.chat.locator('select[aria-label="Mode"]').isDisabled(), true);
    await user.prompt('!echo never');
    const command = user.card('echo never');
    await user.finished(command);
    assert.equal(await command.locator('.status.failed').count(), 1);
  } finally {
    await close();
    place.remove();
  }
});
