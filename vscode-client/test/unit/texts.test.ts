import * as assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hunkAt, hunkFrom } from '../../src/extension/review';
import { colourOf, plainJson } from '../../src/extension/themeColours';
import type { ReviewHunk } from '../../src/shared/acp';
import { commonOf } from '../../src/webview/compare';
import { completeCommand, triggerAt } from '../../src/webview/completion';
import { changedWords, diffRows, rowHunks, wordsOf } from '../../src/webview/lineDiff';
import { shortPath } from '../../src/webview/view';

/** Random numbers that the seed tells again. */
function seeded(seed = Date.now() % 100_000) {
  let state = seed + 1;
  return { seed, random: (n: number) => (state = (state * 48_271) % 2_147_483_647) % n };
}

describe('the rows of a diff', () => {
  it('pair changed lines and mark their words', () => {
    const rows = diffRows('a\nold word here\nc\n', 'a\nnew word here\nc\n');
    assert.deepEqual(rows.map((r) => r.kind), ['same', 'removed', 'added', 'same']);
    assert.deepEqual(rows.slice(1, 3).map(wordsOf), [[[0, 3]], [[0, 3]]]);
    assert.deepEqual(rowHunks(rows), [{ first: 1, end: 3, oldText: 'old word here' }]);
  });

  it('take a new file as added and a deleted one as removed', () => {
    assert.deepEqual(diffRows('', 'a\nb').map((r) => r.kind), ['added', 'added']);
    assert.deepEqual(diffRows('a\n', '').map((r) => r.kind), ['removed']);
  });

  it('give the old and the new text back', () => {
    const { seed, random } = seeded();
    const make = () => Array.from({ length: random(30) }, () => 'abcd'[random(4)]).join('\n');
    for (let i = 0; i < 300; i++) {
      const [before, after] = [make(), make()];
      const rows = diffRows(before, after);
      const side = (kind: string) => rows.filter((r) => r.kind === 'same' || r.kind === kind).map((r) => r.text).join('\n');
      assert.deepEqual([side('removed'), side('added')], [before.replace(/\n$/, ''), after.replace(/\n$/, '')], `seed ${seed}`);
    }
  });

  it('mark no words where lines have little in common', () => {
    assert.deepEqual(changedWords('completely different', 'nothing alike at all'), { old: [], new: [] });
  });
});

describe('two lists', () => {
  it('share stretches that are there, and in order', () => {
    const { seed, random } = seeded();
    for (let i = 0; i < 300; i++) {
      const make = () => Array.from({ length: random(24) }, () => 'abc'[random(3)]!);
      const [before, after] = [make(), make()];
      const same = commonOf(before, after);
      let [old, now] = [0, 0];
      for (const s of same) {
        assert.ok(s.length > 0 && s.old >= old && s.new >= now, `seed ${seed}`);
        assert.deepEqual(before.slice(s.old, s.old + s.length), after.slice(s.new, s.new + s.length), `seed ${seed}`);
        [old, now] = [s.old + s.length, s.new + s.length];
      }
      const length = same.reduce((n, s) => n + s.length, 0);
      assert.equal(length > 0, before.some((entry) => after.includes(entry)), `seed ${seed}`);
    }
  });

  it('of ten thousand entries each, much of them changed, are compared whole', () => {
    const lines = (word: string) => Array.from({ length: 10_000 }, (_, i) => (i % 3 === 0 ? `${word} ${i}` : `same ${i % 50}`));
    const begin = process.cpuUsage();
    const same = commonOf(lines('old'), lines('new'));
    console.log(`measured: comparing 10,000 lines ${(process.cpuUsage(begin).user / 1000).toFixed(0)} ms of processor time`);
    assert.equal(same.reduce((n, s) => n + s.length, 0), 6666);
    const other = (word: string) => Array.from({ length: 10_000 }, (_, i) => `${word} ${i}`);
    assert.deepEqual(commonOf(other('old'), other('new')), []);
  });
});

describe('what is being typed', () => {
  it('is a command at the begin of a line, a mention after a space', () => {
    assert.deepEqual(triggerAt('text\n/re', 8), { kind: 'command', query: 're', start: 5 });
    assert.deepEqual(triggerAt('see @src/m', 10), { kind: 'mention', query: 'src/m', start: 4 });
    assert.deepEqual(triggerAt('see @"a b', 9), { kind: 'mention', query: 'a b', start: 4 });
    assert.equal(triggerAt('mail me@home', 12), undefined);
    assert.equal(triggerAt('a /re', 5), undefined);
  });

  it('is completed by name', () => {
    const commands = ['read', 'write'].map((name) => ({ name, description: '' }));
    assert.deepEqual(completeCommand(commands, 'R').map((c) => c.insert), ['/read']);
  });
});

describe('hunks', () => {
  const at = (start: number, end: number): ReviewHunk => ({
    id: `${start}`,
    range: { start: { line: start, character: 0 }, end: { line: end, character: 0 } },
    oldText: '',
    sessionId: '',
    toolCallId: '',
  });
  const hunks = [at(10, 12), at(2, 3), at(20, 20)];

  it('are found at a line and from it', () => {
    assert.equal(hunkAt(hunks, 11)?.id, '10');
    assert.equal(hunkAt(hunks, 12), undefined);
    assert.equal(hunkAt(hunks, 20)?.id, '20');
    assert.deepEqual([2, 10, 20].map((line) => hunkFrom(hunks, line, 1)?.id), ['10', '20', '2']);
    assert.deepEqual([2, 10, 20].map((line) => hunkFrom(hunks, line, -1)?.id), ['20', '2', '10']);
  });
});

describe('themes', () => {
  it('are read with comments and trailing commas', () => {
    const text = '{ // a comment, with "quotes"\n"a": "// no comment, ]", /* another */ "b": [1, 2,], }';
    assert.deepEqual(JSON.parse(plainJson(text)), { a: '// no comment, ]', b: [1, 2] });
  });

  it('give the colour of the most specific scope', () => {
    const rules = [
      { scope: 'string', settings: { foreground: '#111111' } },
      { scope: ['string.quoted', 'comment'], settings: { foreground: '#222222' } },
      { scope: 'string.regexp', settings: { foreground: '#333333' } },
    ];
    assert.deepEqual(['string.quoted', 'string.regexp', 'keyword'].map((s) => colourOf(rules, s)), ['#222222', '#333333', undefined]);
  });
});

describe('paths', () => {
  it('are relative to the folder of the session when inside', () => {
    assert.equal(shortPath('/project/src/a.go', '/project/'), 'src/a.go');
    assert.equal(shortPath('/projects/a.go', '/project'), '/projects/a.go');
    assert.equal(shortPath('C:\\work\\a.go', 'C:\\work'), 'a.go');
  });
});
