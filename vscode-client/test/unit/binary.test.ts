import * as assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { findServer, programName } from '../../src/extension/binary';

let dir: string;
before(() => (dir = mkdtempSync(path.join(tmpdir(), 'binary-'))));
after(() => rmSync(dir, { recursive: true }));

/** A program that says a version, in a folder of its own. */
function program(name: string, says: string): string {
  const folder = mkdtempSync(path.join(dir, `${name}-`));
  writeFileSync(path.join(folder, programName), `#!/bin/sh\n${says}\n`, { mode: 0o755 });
  return folder;
}

const good = (version: string) => `echo '{"version":"${version}","protocols":{"acp":1}}'`;

describe('finding the server', () => {
  it('takes the setting before everything else', async () => {
    const own = program('own', good('1.0.0'));
    const found = await findServer({ setting: path.join(own, programName), extension: dir, path: program('path', good('2.0.0')) });
    assert.equal(found.version, '1.0.0');
  });

  it('says what is wrong with the setting', async () => {
    const places = { extension: dir, path: program('path', good('2.0.0')) };
    await assert.rejects(findServer({ ...places, setting: path.join(dir, 'none') }), /agentLs\.server\.path, does not exist/);
    const other = path.join(program('other', 'echo hello'), programName);
    await assert.rejects(findServer({ ...places, setting: other }), /another program/);
    const broken = path.join(program('broken', 'exit 3'), programName);
    await assert.rejects(findServer({ ...places, setting: broken }), /does not run/);
  });

  it('takes the first on PATH that fits', async () => {
    const old = program('old', `echo '{"version":"0.0.1","protocols":{}}'`);
    const fits = program('fits', good('3.0.0'));
    const found = await findServer({ setting: '', extension: dir, path: [dir, old, fits].join(path.delimiter) });
    assert.equal(found.command, path.join(fits, programName));
  });

  it('says what it looked at when there is none', async () => {
    const old = program('old', `echo '{"version":"0.0.1"}'`);
    await assert.rejects(findServer({ setting: '', extension: dir, path: old }), /too old \(version 0\.0\.1\); update it.*agentLs\.server\.path/);
    await assert.rejects(findServer({ setting: '', extension: dir, path: '' }), /neither on PATH nor part of this package/);
  });
});
