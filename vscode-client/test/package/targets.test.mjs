// The packages of all platforms: each has the program for its own system and processor, and nothing that is not shipped.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { entriesOf } from './zip.mjs';

const folder = path.resolve(import.meta.dirname, '../..');

/** What the head of a program says of its format and processor. */
function kindOf(program) {
  if (program.toString('latin1', 0, 4) === '\x7fELF') {
    return `ELF ${program.readUInt16LE(18).toString(16)}`;
  }
  if (program.readUInt32LE(0) === 0xfeedfacf) {
    return `Mach-O ${program.readUInt32LE(4).toString(16)}`;
  }
  const head = program.toString('latin1', 0, 2) === 'MZ' ? program.readUInt32LE(0x3c) : undefined;
  return head !== undefined && program.toString('latin1', head, head + 4) === 'PE\0\0' ? `PE ${program.readUInt16LE(head + 4).toString(16)}` : 'unknown';
}

for (const [target, kind, name] of [
  ['linux-x64', 'ELF 3e', 'agent-ls'],
  ['linux-arm64', 'ELF b7', 'agent-ls'],
  ['darwin-x64', 'Mach-O 1000007', 'agent-ls'],
  ['darwin-arm64', 'Mach-O 100000c', 'agent-ls'],
  ['win32-x64', 'PE 8664', 'agent-ls.exe'],
  ['win32-arm64', 'PE aa64', 'agent-ls.exe'],
]) {
  test(`the package for ${target}`, () => {
    const entries = entriesOf(path.join(folder, `agent-ls-${target}.vsix`));
    const inside = entries.map((e) => e.name);
    const programs = entries.filter((e) => e.name.startsWith('extension/server/'));
    assert.deepEqual(programs.map((e) => e.name), [`extension/server/${name}`]);
    assert.equal(kindOf(programs[0].read()), kind);
    assert.ok(target.startsWith('win32') || (programs[0].mode & 0o111) === 0o111, 'the program may be run');
    const manifest = entries.find((e) => e.name === 'extension.vsixmanifest').read().toString();
    assert.match(manifest, new RegExp(`TargetPlatform="${target}"`));
    for (const wanted of ['dist/extension.js', 'dist/chat.js', 'dist/chat.css', 'dist/LICENSES.txt', 'package.json', 'LICENSE.txt', 'media/icon.png']) {
      assert.ok(inside.includes(`extension/${wanted}`), `${wanted} is missing`);
    }
    assert.deepEqual(inside.filter((n) => /\.(?:ts|map|vsix)$|node_modules|\/(?:src|test)\//.test(n)), []);
  });
}
