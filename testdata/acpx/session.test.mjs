// The command line client acpx holds sessions with agent-ls, end to end: its
// own process, files, terminals and permission policy.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

const program = process.env.AGENT_LS ?? assert.fail('AGENT_LS must name the built agent-ls');
const manifest = createRequire(import.meta.url).resolve('acpx/package.json');
const { bin } = JSON.parse(fs.readFileSync(manifest, 'utf8'));
const client = path.join(path.dirname(manifest), typeof bin === 'string' ? bin : bin.acpx);
const call = (name, args) => `/${name} ${JSON.stringify(args)}`;

/** A user with fresh folders; `acpx(...)` runs one command of the client. */
function user(t) {
  const home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'agent-ls-acpx-')));
  const cwd = path.join(home, 'work');
  fs.mkdirSync(cwd);
  t.after(() => fs.rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }));
  const env = { ...process.env, HOME: home, XDG_STATE_HOME: path.join(home, 'state'), XDG_CONFIG_HOME: path.join(home, 'config'), NO_COLOR: '1' };
  return {
    file: name => path.join(cwd, name),
    acpx: (...args) => new Promise((ok, no) => {
      const child = spawn(process.execPath, [client, '--agent', `"${program}" acp`, '--cwd', cwd, '--ttl', '60', ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
      let out = '', err = '';
      child.stdout.on('data', d => { out += d; });
      child.stderr.on('data', d => { err += d; });
      child.once('error', no);
      child.once('close', code => ok({ code, out, err, lines: () => out.split('\n').filter(l => l.startsWith('{')).map(l => JSON.parse(l)) }));
    }),
  };
}

/** Fails with all that the client printed. */
const ended = (r, code) => assert.equal(r.code, code, `${r.out}\n${r.err}`);
const updates = r => r.lines().filter(m => m.method === 'session/update').map(m => m.params.update);
const statuses = r => updates(r).filter(u => u.sessionUpdate.startsWith('tool_call') && u.status).map(u => u.status);

test('a prompt with reading, writing and a command', { timeout: 300_000 }, async t => {
  const u = user(t);
  fs.writeFileSync(u.file('a.txt'), 'MARKER one\n');
  const r = await u.acpx('--approve-all', '--format', 'json', 'exec',
    ['/read a.txt', call('edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' }), '!echo from-a-command > out.txt'].join('\n'));
  ended(r, 0);
  assert.equal(fs.readFileSync(u.file('a.txt'), 'utf8'), 'MARKER two\n');
  assert.equal(fs.readFileSync(u.file('out.txt'), 'utf8'), 'from-a-command\n');
  assert.equal(statuses(r).filter(s => s === 'completed').length, 3, r.out);
  const asked = r.lines().filter(m => m.method === 'session/request_permission');
  assert.deepEqual(asked.map(m => m.params.toolCall.kind), ['edit', 'execute']);
  assert.equal(asked[0].params.toolCall.content[0].type, 'diff');
  for (const method of ['fs/read_text_file', 'fs/write_text_file', 'terminal/create', 'terminal/release']) {
    assert.ok(r.lines().some(m => m.method === method), `${method} was not used`);
  }
  assert.equal(r.lines().find(m => m.result?.stopReason)?.result.stopReason, 'end_turn');
});

test('permission that is denied', { timeout: 300_000 }, async t => {
  const u = user(t);
  const r = await u.acpx('--deny-all', '--format', 'json', 'exec', `${call('write', { file_path: 'n.txt', content: 'x\n' })}\n!touch made`);
  assert.notEqual(r.code, 0, 'the client reports denied permission by its exit status');
  assert.deepEqual(statuses(r), ['pending', 'failed', 'pending', 'failed']);
  assert.ok(!fs.existsSync(u.file('n.txt')) && !fs.existsSync(u.file('made')));
  assert.equal(r.lines().find(m => m.result?.stopReason)?.result.stopReason, 'end_turn');
});

test('a session of several prompts', { timeout: 300_000 }, async t => {
  const u = user(t);
  fs.writeFileSync(u.file('a.txt'), 'MARKER one\n');
  ended(await u.acpx('sessions', 'new'), 0);
  try {
    const read = await u.acpx('prompt', '/read a.txt');
    ended(read, 0);
    assert.match(read.out, /MARKER one/);
    ended(await u.acpx('set-mode', 'accept-edits'), 0);
    const edit = await u.acpx('--approve-all', '--format', 'json', 'prompt', call('edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' }));
    ended(edit, 0);
    // The session knows that the file was read, and its mode does not ask.
    assert.ok(!edit.lines().some(m => m.method === 'session/request_permission'));
    assert.equal(fs.readFileSync(u.file('a.txt'), 'utf8'), 'MARKER two\n');
    const list = await u.acpx('sessions', 'list');
    ended(list, 0);
    assert.match(list.out, /\/read a\.txt/);
  } finally {
    ended(await u.acpx('sessions', 'close'), 0);
  }
});
