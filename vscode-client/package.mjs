// Packages the extension with the server's program inside: node package.mjs [TARGET…]; all targets by default.
// AGENT_LS names a program to take for this machine's own target, instead of building one.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const targets = {
  'linux-x64': ['linux', 'amd64'],
  'linux-arm64': ['linux', 'arm64'],
  'darwin-x64': ['darwin', 'amd64'],
  'darwin-arm64': ['darwin', 'arm64'],
  'win32-x64': ['windows', 'amd64'],
  'win32-arm64': ['windows', 'arm64'],
};

const here = import.meta.dirname;
const own = `${process.platform}-${process.arch}`;
const run = (command, args, options = {}) => execFileSync(command, args, { cwd: here, stdio: 'inherit', ...options });
const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(targets);

fs.copyFileSync(path.join(here, '../LICENSE'), path.join(here, 'LICENSE'));
run(process.execPath, ['esbuild.mjs']);
for (const target of wanted) {
  if (!targets[target]) {
    console.error(`package.mjs: unknown target ${target}; expected one of ${Object.keys(targets).join(', ')}`);
    process.exit(2);
  }
  const [goos, goarch] = targets[target];
  const program = path.join(here, 'server', goos === 'windows' ? 'agent-ls.exe' : 'agent-ls');
  fs.rmSync(path.dirname(program), { recursive: true, force: true });
  fs.mkdirSync(path.dirname(program));
  if (target === own && process.env.AGENT_LS) {
    fs.copyFileSync(process.env.AGENT_LS, program);
    fs.chmodSync(program, 0o755);
  } else {
    const env = { ...process.env, CGO_ENABLED: '0', GOOS: goos, GOARCH: goarch };
    run('go', ['build', '-trimpath', '-ldflags', '-s -w', '-o', program, './cmd/agent-ls'], { cwd: path.join(here, '..'), env });
  }
  run(process.execPath, [
    'node_modules/@vscode/vsce/vsce', 'package', '--no-dependencies', '--target', target, '--out', `agent-ls-${target}.vsix`,
  ]);
}
