// A real VS Code workbench for tests: code-server in a fresh profile, and a browser for it.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';

const code = process.env.VSCODE_CLIENT_CODE;
export const program = process.env.AGENT_LS;

const quiet = {
  'security.workspace.trust.enabled': false,
  'workbench.startupEditor': 'none',
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoUpdate': 'off',
  'extensions.autoCheckUpdates': false,
  'workbench.tips.enabled': false,
  'chat.disableAIFeatures': true,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'window.commandCenter': false,
  'files.autoSave': 'off',
  'git.openRepositoryInParentFolders': 'never',
};

/** What the workbench has started may still write while it ends. */
const leftovers = { recursive: true, force: true, maxRetries: 50, retryDelay: 200 };

const freePort = () =>
  new Promise((resolve) => {
    const server = net.createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** Makes a profile: folders of its own for everything, and the program on PATH. */
export function profile(files = {}, settings = {}, { onPath = true } = {}) {
  const dir = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'vscode-client-')));
  for (const name of ['data/User', 'ext', 'work', 'tmp', 'bin', 'state', 'config']) {
    fs.mkdirSync(path.join(dir, name), { recursive: true });
  }
  fs.writeFileSync(path.join(dir, 'data/User/settings.json'), JSON.stringify({ ...quiet, ...settings }));
  if (onPath) {
    fs.symlinkSync(path.resolve(program), path.join(dir, 'bin/agent-ls'));
    // The extension host takes its environment from a login shell.
    fs.writeFileSync(path.join(dir, '.profile'), `PATH="${dir}/bin:$PATH"\n`);
  }
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(dir, 'work', name)), { recursive: true });
    fs.writeFileSync(path.join(dir, 'work', name), text);
  }
  return { dir, work: path.join(dir, 'work'), remove: () => fs.rmSync(dir, leftovers) };
}

const node = () => path.join(code, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node');
const entry = () => path.join(code, 'node_modules/code-server/out/node/entry.js');
const folders = (dir) => ['--user-data-dir', `${dir}/data`, '--extensions-dir', `${dir}/ext`, '--config', `${dir}/config.yaml`];

function environment(dir) {
  const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('AGENT_LS')));
  return {
    ...clean,
    HOME: dir,
    SHELL: '/bin/bash',
    TMPDIR: `${dir}/tmp`,
    XDG_STATE_HOME: `${dir}/state`,
    XDG_CONFIG_HOME: `${dir}/config`,
    PATH: `${dir}/bin:${process.env.PATH}`,
  };
}

/** A workspace file over folders of a profile, made as well; its path. */
export function workspaceFile({ dir }, ...folders) {
  folders.forEach((name) => fs.mkdirSync(path.join(dir, name), { recursive: true }));
  const file = path.join(dir, 'several.code-workspace');
  fs.writeFileSync(file, JSON.stringify({ folders: folders.map((name) => ({ path: name })) }));
  return file;
}

/** Installs a packaged extension into a profile. */
export function installExtension({ dir }, file) {
  return new Promise((resolve, reject) => {
    const child = spawn(node(), [entry(), ...folders(dir), '--install-extension', file], { env: environment(dir) });
    let output = '';
    child.stdout.on('data', (data) => (output += data));
    child.stderr.on('data', (data) => (output += data));
    child.on('exit', (status) => (status === 0 ? resolve() : reject(new Error(output))));
  });
}

/** How often a server is started that gives up before it is ready, as on a busy machine it does. */
const attempts = 5;

/** Starts the workbench's server; stop() ends it and waits. */
export async function startWorkbench(place) {
  for (let attempt = 1; ; attempt++) {
    const server = await launchServer(place);
    if (await server.ready()) {
      return server;
    }
    if (attempt === attempts) {
      throw new Error(`code-server ended: ${fs.readFileSync(`${place.dir}/server.log`, 'utf8')}`);
    }
  }
}

async function launchServer({ dir }) {
  const port = await freePort();
  const log = fs.openSync(`${dir}/server.log`, 'a');
  const child = spawn(
    node(),
    [
      entry(), '--bind-addr', `127.0.0.1:${port}`, '--auth', 'none', '--disable-telemetry', '--disable-update-check',
      ...folders(dir), '--vscode-option', 'enable-smoke-test-driver',
    ],
    { env: environment(dir), stdio: ['ignore', log, log] },
  );
  fs.closeSync(log);
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const origin = `127.0.0.1:${port}`;
  const ready = async () => {
    while (child.exitCode === null && child.signalCode === null) {
      if (await fetch(`http://${origin}/healthz`).then((r) => r.ok, () => false)) {
        return true;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return false;
  };
  return { origin, ready, stop: () => (child.kill(), ended) };
}

export function launchBrowser() {
  return chromium.launch({
    executablePath: process.env.VSCODE_CLIENT_CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync',
    ],
  });
}
