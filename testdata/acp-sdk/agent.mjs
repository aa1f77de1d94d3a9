// One agent process behind the official SDK's client, with every line checked.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Readable, Transform, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';
import { fault } from './schema.mjs';

const program = process.env.AGENT_LS ?? assert.fail('AGENT_LS must name the built agent-ls');

/** Lets a test look at whole lines that pass through. */
function tap(look) {
  let rest = '';
  return new Transform({
    transform(chunk, _, done) {
      rest += chunk.toString('utf8');
      let end;
      while ((end = rest.indexOf('\n')) >= 0) { look(rest.slice(0, end)); rest = rest.slice(end + 1); }
      done(null, chunk);
    },
  });
}

/** Runs `body(session)` against a fresh agent in fresh folders; fails on any faulty line. */
export async function withAgent({ capabilities = {}, permission = 'allow_once', args = [], script, declared, handle }, body) {
  const home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'agent-ls-sdk-')));
  const cwd = path.join(home, 'work');
  fs.mkdirSync(cwd);
  if (script) {
    const file = path.join(home, 'script.json');
    fs.writeFileSync(file, JSON.stringify(script));
    args = [...args, '--model', `script:${file}`];
  }
  const child = spawn(program, ['acp', ...args], {
    cwd, stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, HOME: home, XDG_STATE_HOME: path.join(home, 'state'), XDG_CONFIG_HOME: path.join(home, 'config') },
  });
  const asked = new Map(), faults = [], updates = [], questions = [];
  const sent = tap(line => { const m = JSON.parse(line); if (m.method && m.id !== undefined) asked.set(m.id, m.method); });
  let arrived = 0, handled = 0; // updates on the wire, and those that the client gave us
  const received = tap(line => {
    const m = JSON.parse(line);
    if (m.method === 'session/update') arrived++;
    const why = fault(m, id => asked.get(id));
    if (why) faults.push(`${line.slice(0, 400)}\n  ${why}`);
  });
  sent.pipe(child.stdin);
  const stream = acp.ndJsonStream(Writable.toWeb(sent), Readable.toWeb(child.stdout.pipe(received)));
  const choose = async p => {
    questions.push(p);
    const kind = typeof permission === 'function' ? await permission(p) : permission;
    if (kind === 'cancelled') return { outcome: { outcome: 'cancelled' } };
    return { outcome: { outcome: 'selected', optionId: p.options.find(o => o.kind === kind).optionId } };
  };
  try {
    const app = acp.client({ name: 'agent-ls-test' })
      .onRequest(acp.methods.client.session.requestPermission, ctx => choose(ctx.params))
      .onRequest('_agent-ls/tool_call', params => params, ctx => handle(ctx.params))
      .onNotification(acp.methods.client.session.update, ctx => { handled++; updates.push(ctx.params); });
    await app.connectWith(stream, async ctx => {
      const init = await ctx.request(acp.methods.agent.initialize, { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: capabilities });
      const made = await ctx.request(acp.methods.agent.session.new, {
        cwd, mcpServers: [], ...declared && { _meta: { 'agent-ls/tools': declared } },
      });
      const sessionId = made.sessionId;
      // The client may hand out an answer before the updates that came ahead of it.
      const request = async (method, params) => {
        const answer = await ctx.request(method, params);
        while (handled < arrived) await new Promise(setImmediate);
        return answer;
      };
      await body({
        init, made, sessionId, cwd, home, questions, updates, request,
        file: name => path.join(cwd, name),
        write: (name, text) => fs.writeFileSync(path.join(cwd, name), text),
        read: name => fs.readFileSync(path.join(cwd, name), 'utf8'),
        prompt: (...lines) => request(acp.methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text: lines.join('\n') }] }),
        cancel: () => ctx.notify(acp.methods.agent.session.cancel, { sessionId }),
        setMode: modeId => request(acp.methods.agent.session.setMode, { sessionId, modeId }),
        cards: () => fold(updates.filter(u => u.sessionId === sessionId).map(u => u.update)),
      });
    });
  } finally {
    child.stdin.end();
    await new Promise(ok => { if (child.exitCode !== null || child.signalCode) ok(); else child.once('exit', ok); });
    fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
  assert.deepEqual(faults, [], 'lines that break the schema');
}

/** Folds updates into the cards that a client shows. */
export function fold(updates) {
  const cards = new Map();
  for (const u of updates) {
    if (u.sessionUpdate === 'tool_call') {
      assert.ok(!cards.has(u.toolCallId), `${u.toolCallId} announced twice`);
      cards.set(u.toolCallId, { content: [], locations: [], ...u, terminal: '', statuses: [u.status] });
    } else if (u.sessionUpdate === 'tool_call_update') {
      const card = cards.get(u.toolCallId);
      assert.ok(card, `an update of ${u.toolCallId}, which was not announced`);
      for (const k of ['title', 'kind', 'status', 'content', 'locations', 'rawInput', 'rawOutput']) if (u[k] != null) card[k] = u[k];
      if (u.status) card.statuses.push(u.status);
      card.terminal += u._meta?.terminal_output?.data ?? '';
      if (u._meta?.terminal_exit) card.exit = u._meta.terminal_exit;
    }
  }
  return [...cards.values()];
}

/** All text on a card. */
export const textOf = card => card.content.flatMap(c => c.type === 'content' && c.content.type === 'text' ? [c.content.text] : []).join('\n');
export const diffsOf = card => card.content.filter(c => c.type === 'diff');
