import * as assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { matchCheckpoints } from '../../src/extension/session';
import type { SessionUpdate } from '../../src/shared/acp';
import { maxOutput, Transcript } from '../../src/shared/transcript';

const text = (kind: 'user' | 'agent', value: string, messageId?: string): SessionUpdate => ({
  sessionUpdate: `${kind}_message_chunk`,
  content: { type: 'text', text: value },
  messageId,
});

const call = (fields: object): SessionUpdate =>
  ({ sessionUpdate: 'tool_call', toolCallId: 'c', title: 'a', kind: 'execute', status: 'pending', ...fields }) as SessionUpdate;

const changed = (fields: object): SessionUpdate =>
  ({ sessionUpdate: 'tool_call_update', toolCallId: 'c', ...fields }) as SessionUpdate;

const output = (data: string) => changed({ _meta: { terminal_output: { terminal_id: 't', data } } });

describe('a transcript', () => {
  it('joins the chunks of a message and parts messages by their ids', () => {
    const t = new Transcript();
    for (const update of [text('agent', 'a', '1'), text('agent', 'b', '1'), text('agent', 'c', '2')]) {
      t.apply({ update });
    }
    assert.deepEqual(t.items.map((i) => i.type === 'agent' && i.text), ['ab', 'c']);
  });

  it('merges what an update holds and keeps the rest', () => {
    const t = new Transcript();
    t.apply({ update: call({ locations: [{ path: '/a', line: 1 }] }), at: 1000 });
    t.apply({ update: changed({ status: 'in_progress' }), at: 1100 });
    t.apply({ update: changed({ status: 'completed' }), at: 3000 });
    const item = t.call('c')!;
    assert.deepEqual([item.title, item.status, item.started, item.ended], ['a', 'completed', 1000, 3000]);
    assert.equal(item.locations.length, 1);
  });

  it('tells output that only appends from other updates', () => {
    const t = new Transcript();
    t.apply({ update: call({ _meta: { terminal_info: { terminal_id: 't', cwd: '/' } } }) });
    const first = t.apply({ update: output('one\n') });
    assert.ok(first && first !== 'beside' && first.delta === 'one\n');
    const exit = changed({ status: 'completed', _meta: { terminal_exit: { terminal_id: 't', exit_code: 2 } } });
    const last = t.apply({ update: exit });
    assert.ok(last && last !== 'beside' && last.delta === undefined);
    assert.deepEqual(t.call('c')?.terminal, { id: 't', cwd: '/', output: 'one\n', exit: { code: 2, signal: undefined } });
  });

  it('bounds the output and begins it with a whole line', () => {
    const t = new Transcript();
    t.apply({ update: call({}) });
    for (let i = 0; i < 100; i++) {
      t.apply({ update: output(`${'x'.repeat(99_999)}\n`) });
    }
    const kept = t.call('c')!.terminal!.output;
    assert.ok(kept.length <= maxOutput && kept.length > 0);
    assert.match(kept.slice(0, 100_000), /^x{99999}\n$/);
  });

  it('is the same when it is made of a snapshot', () => {
    const t = new Transcript();
    t.apply({ update: text('user', 'hi') });
    t.apply({ update: call({}) });
    const copy = Transcript.from(JSON.parse(JSON.stringify(t.snapshot())) as ReturnType<Transcript['snapshot']>);
    copy.apply({ update: changed({ status: 'failed' }) });
    assert.equal(copy.call('c')?.status, 'failed');
    assert.equal(copy.items[1], copy.call('c'));
  });
});

describe('checkpoints', () => {
  it('belong to the prompts they were made for, from the newest on', () => {
    const t = new Transcript();
    ['a', 'b', 'a'].forEach((prompt, i) => t.apply({ update: text('user', prompt, String(i)) }));
    const listed = ['a', 'restore: b', 'b', 'a'].map((prompt, i) => ({ id: `c${i}`, prompt, files: [] }));
    assert.deepEqual(matchCheckpoints(t.items, listed), [
      { key: 2, id: 'c0' },
      { key: 1, id: 'c2' },
      { key: 0, id: 'c3' },
    ]);
    assert.deepEqual(matchCheckpoints(t.items, listed.slice(0, 1)), [{ key: 2, id: 'c0' }]);
  });
});
