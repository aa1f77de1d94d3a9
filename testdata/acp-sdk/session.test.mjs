import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { diffsOf, textOf, withAgent } from './agent.mjs';

const TERMINAL = { _meta: { terminal_output: true } };
const call = (name, args) => `/${name} ${JSON.stringify(args)}`;

test('handshake', () => withAgent({}, async s => {
  assert.equal(s.init.protocolVersion, 1);
  assert.equal(s.init.agentInfo.name, 'agent-ls');
  assert.equal(s.made.modes.currentModeId, 'ask');
  const answer = await s.prompt('hello');
  assert.equal(answer.stopReason, 'end_turn');
}));

test('a prompt with each tool', () => withAgent({ capabilities: TERMINAL }, async s => {
  s.write('a.txt', 'one\ntwo\nthree\n');
  s.write('gone.txt', 'gone\n');
  await s.setMode('full-access');
  const answer = await s.prompt(
    '/read a.txt',
    call('edit', { file_path: 'a.txt', old_string: 'two', new_string: '2' }),
    call('write', { file_path: 'new.txt', content: 'new\n' }),
    call('apply_patch', { patch: '*** Begin Patch\n*** Update File: a.txt\n@@\n-three\n+3\n*** Delete File: gone.txt\n*** End Patch\n' }),
    '!echo out; exit 3',
    '/grep one', '/glob *.txt', '/ls', call('todo_new', { todos: [{ content: 'a thing' }] }), '/todo_read',
    call('read', { file_path: 'missing.txt' }));
  assert.equal(answer.stopReason, 'end_turn');
  assert.equal(s.read('a.txt'), 'one\n2\n3\n');
  const cards = s.cards();
  assert.deepEqual(cards.map(c => [c.name, c.kind, c.status]), [
    ['read', 'read', 'completed'], ['edit', 'edit', 'completed'], ['write', 'edit', 'completed'], ['apply_patch', 'edit', 'completed'],
    ['bash', 'execute', 'completed'], ['grep', 'search', 'completed'], ['glob', 'search', 'completed'], ['ls', 'read', 'completed'],
    ['todo_new', 'other', 'completed'], ['todo_read', 'other', 'completed'], ['read', 'read', 'failed']]);
  const [read, edit, write, patch, bash, grep] = cards;
  assert.match(textOf(read), /2: two/);
  assert.deepEqual(diffsOf(edit).map(d => [d.path, d.oldText.includes('two'), d.newText.includes('2')]), [[s.file('a.txt'), true, true]]);
  assert.deepEqual(diffsOf(write).map(d => [d.path, d.oldText ?? null, d.newText]), [[s.file('new.txt'), null, 'new']]);
  assert.deepEqual(diffsOf(patch).map(d => [d.path, d._meta?.kind]), [[s.file('a.txt'), undefined], [s.file('gone.txt'), 'delete']]);
  assert.equal(bash.terminal, 'out\n');
  assert.equal(bash.exit.exit_code, 3);
  assert.deepEqual(grep.locations, [{ path: s.file('a.txt'), line: 1 }]);
  assert.equal(s.updates.filter(u => u.update.sessionUpdate === 'plan').at(-1).update.entries[0].content, 'a thing');
}));

test('permission allowed, rejected, cancelled', async () => {
  for (const [kind, status, made, stop] of [['allow_once', 'completed', true, 'end_turn'], ['reject_once', 'failed', false, 'end_turn'], ['cancelled', 'failed', false, 'cancelled']]) {
    await withAgent({ permission: kind }, async s => {
      const answer = await s.prompt(call('write', { file_path: 'n.txt', content: 'n\n' }));
      assert.equal(answer.stopReason, stop, kind);
      assert.deepEqual(s.cards().map(c => c.status), [status], kind);
      assert.equal(fs.existsSync(s.file('n.txt')), made, kind);
      assert.equal(s.questions.length, 1);
      assert.equal(s.questions[0].toolCall.content[0].type, 'diff');
      assert.equal(s.cards()[0].statuses[0], 'pending');
    });
  }
});

test('a cancel ends a running command', () => withAgent({ capabilities: TERMINAL }, async s => {
  await s.setMode('full-access');
  const turn = s.prompt('!echo started; sleep 60');
  while (!s.cards().some(c => c.terminal.includes('started'))) await new Promise(ok => setTimeout(ok, 10));
  await s.cancel();
  assert.equal((await turn).stopReason, 'cancelled');
  assert.deepEqual(s.cards().map(c => c.status), ['failed']);
  assert.equal((await s.prompt('hello')).stopReason, 'end_turn');
}));

test('a plain client gets fenced output', () => withAgent({}, async s => {
  await s.prompt('!echo hi');
  const [card] = s.cards();
  assert.match(textOf(card), /^```console\nhi\n```\s*$/);
}));

test('a loaded session shows the same cards', () => withAgent({ capabilities: TERMINAL }, async s => {
  s.write('a.txt', 'one\n');
  await s.prompt('/read a.txt', call('edit', { file_path: 'a.txt', old_string: 'one', new_string: '1' }), '!echo hi; exit 2');
  const live = s.cards();
  s.updates.length = 0;
  await s.request('session/load', { sessionId: s.sessionId, cwd: s.cwd, mcpServers: [] });
  const facts = c => ({ id: c.toolCallId, title: c.title, kind: c.kind, status: c.status, content: c.content, locations: c.locations, terminal: c.terminal, exit: c.exit });
  assert.deepEqual(s.cards().map(facts), live.map(facts));
}));
