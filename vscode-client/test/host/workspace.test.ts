import * as assert from 'node:assert/strict';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { completeMention } from '../../src/extension/mentions';
import { mcpServers, settings } from '../../src/extension/settings';
import { calls, closeAll, disk, file, parts, prompt, session, textOf, until } from './helper';

interface Manifest {
  readonly browser?: string;
  readonly main: string;
  readonly extensionKind: readonly string[];
  readonly capabilities: {
    readonly untrustedWorkspaces: { readonly supported: string; readonly restrictedConfigurations: readonly string[] };
    readonly virtualWorkspaces: { readonly supported: boolean };
  };
  readonly contributes: { readonly configuration: { readonly properties: Readonly<Record<string, { readonly scope: string }>> } };
}

const extension = () => vscode.extensions.getExtension('agent-ls.agent-ls')!;
const manifest = () => extension().packageJSON as Manifest;

describe('a workspace of several folders', () => {
  afterEach(closeAll);

  const second = () => vscode.workspace.workspaceFolders![1]!.uri.fsPath;

  it('is open to a session as a whole', async () => {
    const uri = await file(path.join(second(), 'far.txt'), 'far away\n');
    const now = await session('accept-edits');
    await prompt(`/read ${uri.fsPath}\n/edit {"file_path":${JSON.stringify(uri.fsPath)},"old_string":"far away","new_string":"near"}`);
    const [read, edit] = calls(now);
    assert.match(textOf(read!), /far away/);
    assert.deepEqual([read?.status, edit?.status], ['completed', 'completed'], 'edits in it need no question');
    assert.equal(await disk(uri), 'near\n');
    const { review } = await parts();
    await until('the hunk', () => review.hunks(uri).length === 1);
    await review.decideAll(true);
  });

  it('has mentions that name the folder', async () => {
    const uri = await file(path.join(second(), 'sub/mentioned.txt'), 'there\n');
    const offered = await until('the file', async () => (await completeMention('mentioned')).find((c) => c.label.endsWith('mentioned.txt')));
    assert.equal(offered.insert, '@second/sub/mentioned.txt');
    const now = await session('ask');
    await prompt(`look at ${offered.insert}`);
    const user = now.transcript.items[0];
    const block = user?.type === 'user' ? user.blocks[0] : undefined;
    assert.equal(block?.type === 'resource_link' && block.uri, uri.toString());
  });

  it('leaves what is in none of the folders alone', async () => {
    const outside = await file(path.join(second(), '../outside.txt'), 'outside\n');
    const now = await session('read-only');
    await prompt(`/read ${outside.fsPath}`);
    assert.equal(calls(now)[0]?.status, 'failed');
  });
});

describe('the manifest', () => {
  it('has settings that a workspace cannot set', () => {
    const { capabilities, contributes } = manifest();
    const properties = contributes.configuration.properties;
    assert.ok(Object.values(properties).every(({ scope }) => scope === 'machine'));
    assert.deepEqual([...capabilities.untrustedWorkspaces.restrictedConfigurations].sort(), Object.keys(properties).sort());
    const all = vscode.workspace.getConfiguration('agentLs');
    assert.equal(all.get('server.path'), '');
    assert.deepEqual(settings(), { serverPath: '', configFile: '', model: '', mode: '' });
  });

  it('claims what works: limited without trust, on real folders, beside them', () => {
    const { capabilities, browser, extensionKind } = manifest();
    assert.equal(capabilities.untrustedWorkspaces.supported, 'limited');
    assert.equal(capabilities.virtualWorkspaces.supported, false);
    assert.equal(browser, undefined, 'there is no server to start in a browser alone');
    assert.deepEqual(extensionKind, ['workspace']);
  });

  it('works in a browser whose workspace is on another machine', () => {
    assert.equal(vscode.env.uiKind, vscode.UIKind.Web);
    assert.ok(vscode.env.remoteName);
    assert.equal(extension().extensionKind, vscode.ExtensionKind.Workspace);
  });

  it('names MCP servers as the protocol does', async () => {
    const all = vscode.workspace.getConfiguration('agentLs');
    const set = (value: object | undefined) => all.update('mcpServers', value, vscode.ConfigurationTarget.Global);
    await set({ local: { command: 'node', args: ['x.mjs'], env: { A: 'b' } }, far: { url: 'http://127.0.0.1/mcp', headers: { H: 'v' } } });
    try {
      assert.deepEqual(mcpServers(), [
        { name: 'local', command: 'node', args: ['x.mjs'], env: [{ name: 'A', value: 'b' }] },
        { type: 'http', name: 'far', url: 'http://127.0.0.1/mcp', headers: [{ name: 'H', value: 'v' }] },
      ]);
    } finally {
      await set(undefined);
    }
  });
});
