// Tools that the client declares (seed 003): a scripted model calls them, the
// client runs them, and every outcome comes back as a result.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textOf, withAgent } from './agent.mjs';

const updateCounter = {
  name: 'update_counter',
  description: 'Increase or decrease the visible counter by a signed delta.',
  argsSchema: {
    type: 'object',
    properties: { delta: { type: 'integer', description: 'Signed amount to add to the counter.', minimum: -100, maximum: 100 } },
    required: ['delta'],
  },
};

/** A script of one batch for each of the arguments. */
const calls = (...args) => ({ turns: [{ steps: args.map(a => ({ calls: [{ name: 'update_counter', args: a }] })) }] });

/** A session with the counter; `handle` runs it. */
const counting = (tool, script, handle, body) =>
  withAgent({ script, declared: { guidance: 'Count with care.', tools: [{ ...updateCounter, ...tool }] }, handle, args: ['--mode', 'full-access'] }, body);

test('arguments within the schema reach the handler, all others do not', () => {
  let value = 0;
  const asked = [];
  const handle = p => { asked.push(p); value += p.args.delta; return { value }; };
  const script = calls({ delta: -100 }, { delta: 100 }, { delta: 101 }, { delta: '5' }, {}, { delta: 3, more: true });
  return counting({}, script, handle, async s => {
    assert.equal((await s.prompt('count')).stopReason, 'end_turn');
    assert.deepEqual(asked.map(p => p.args), [{ delta: -100 }, { delta: 100 }, { delta: 3, more: true }]);
    for (const p of asked) {
      assert.equal(p.sessionId, s.sessionId);
      assert.equal(p.tool, 'update_counter');
      assert.ok(p.turnId && p.toolRequestId);
    }
    const cards = s.cards();
    assert.deepEqual(cards.map(c => [c.title, c.status]), [
      ['update_counter', 'completed'], ['update_counter', 'completed'], ['update_counter', 'failed'],
      ['update_counter', 'failed'], ['update_counter', 'failed'], ['update_counter', 'completed']]);
    const said = cards.map(textOf);
    assert.match(said[0], /"value":\s*-100/);
    assert.match(said[1], /"value":\s*0/);
    assert.match(said[2], /delta.*100/);
    assert.match(said[3], /delta.*integer/);
    assert.match(said[4], /delta/);
    assert.match(said[5], /"value":\s*3/);
  });
});

test('a handler that throws or answers an error is a failed call', () => {
  const answers = [
    () => { throw new Error('the counter is broken'); },
    () => ({ error: { code: 'COUNTER_LOCKED', message: 'Unlock it first', details: { by: 'someone' } } }),
    () => ({ value: 1 }),
  ];
  return counting({}, calls({ delta: 1 }, { delta: 2 }, { delta: 3 }), () => answers.shift()(), async s => {
    assert.equal((await s.prompt('count')).stopReason, 'end_turn');
    assert.deepEqual(s.cards().map(c => c.status), ['failed', 'failed', 'completed']);
    assert.match(textOf(s.cards()[1]), /Unlock it first/);
  });
});

test('a client without a handler for the tool', () => {
  const handle = p => ({ error: { code: 'TOOL_HANDLER_NOT_FOUND', message: `No tool handler registered for ${p.tool}`, details: { tool: p.tool } } });
  return counting({}, calls({ delta: 1 }), handle, async s => {
    assert.equal((await s.prompt('count')).stopReason, 'end_turn');
    assert.deepEqual(s.cards().map(c => c.status), ['failed']);
    assert.match(textOf(s.cards()[0]), /No tool handler registered for update_counter/);
  });
});

test('a late answer changes nothing, not even the next call', () => {
  let release;
  const first = new Promise(ok => { release = ok; });
  let n = 0;
  const handle = async () => {
    if (++n === 1) { await first; return { value: 'late' }; }
    release();
    return { value: 'in time' };
  };
  return counting({ timeoutMs: 300 }, { turns: [{ steps: [{ calls: [{ name: 'update_counter', args: { delta: 1 } }] }, { calls: [{ name: 'update_counter', args: { delta: 2, timeoutMs: 60000 } }] }] }] }, handle, async s => {
    assert.equal((await s.prompt('count')).stopReason, 'end_turn');
    const cards = s.cards();
    assert.deepEqual(cards.map(c => c.status), ['failed', 'completed']);
    assert.match(textOf(cards[0]), /timed out after 300ms/);
    assert.match(textOf(cards[1]), /in time/);
  });
});
