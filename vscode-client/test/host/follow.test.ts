import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { closeAll, file, open, parts, prompt, session, type, until } from './helper';

const long = Array.from({ length: 400 }, (_, i) => `line ${i + 1}\n`).join('');

const shown = (uri: vscode.Uri) => vscode.window.visibleTextEditors.find((e) => e.document.uri.toString() === uri.toString());

/** The editor that shows a line of a file. */
function showing(uri: vscode.Uri, line: number): vscode.TextEditor | undefined {
  return vscode.window.visibleTextEditors.find(
    (e) => e.document.uri.toString() === uri.toString() && e.visibleRanges.some((r) => r.start.line < line && line <= r.end.line + 1),
  );
}

describe('follow', () => {
  let mine: vscode.TextEditor;
  let target: vscode.Uri;

  beforeEach(async () => {
    target = await file('followed.txt', long);
    mine = await open(await file('mine.txt', 'my own work\n'));
    await session('full-access');
  });

  afterEach(async () => {
    (await parts()).follow.set('off');
    await closeAll();
  });

  it('does nothing while it is off', async () => {
    assert.equal((await parts()).follow.current, 'off');
    await prompt('/read {"file_path":"followed.txt","start_line":200}');
    assert.equal(shown(target), undefined);
  });

  it('shows the line in a preview tab and leaves focus and caret alone', async () => {
    const caret = mine.selection;
    await vscode.commands.executeCommand('agentLs.toggleFollow');
    await prompt('/read {"file_path":"followed.txt","start_line":200}');
    await until('the line', () => showing(target, 200));
    assert.equal(vscode.window.activeTextEditor?.document.uri.toString(), mine.document.uri.toString());
    assert.ok(mine.selection.isEqual(caret));
    const tab = vscode.window.tabGroups.all
      .flatMap((g) => g.tabs)
      .find((t) => t.input instanceof vscode.TabInputText && t.input.uri.toString() === target.toString());
    assert.equal(tab?.isPreview, true);
    assert.equal(shown(target)?.selection.active.line, 0, 'the caret there has not moved');
    await vscode.commands.executeCommand('type', { text: 'x' });
    assert.match(mine.document.getText(), /^x/);
  });

  it('reveals at most four times a second, the latest last', async () => {
    const { follow } = await parts();
    follow.set('on');
    let reveals = 0;
    const listener = vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => {
      reveals += textEditor.document.uri.toString() === target.toString() ? 1 : 0;
    });
    const begin = Date.now();
    const reads = Array.from({ length: 40 }, (_, i) => `/read {"file_path":"followed.txt","start_line":${10 * i + 1},"limit":1}`);
    await prompt(reads.join('\n'));
    await until('the last line', () => showing(target, 391));
    listener.dispose();
    const most = 4 * ((Date.now() - begin) / 1000) + 2;
    assert.ok(reveals <= most, `${reveals} reveals, more than ${most}`);
  });

  it('pauses when the user scrolls away and goes on when asked to', async () => {
    const { follow } = await parts();
    follow.set('on');
    await prompt('/read {"file_path":"followed.txt","start_line":300,"limit":1}');
    const editor = await until('the line', () => showing(target, 300));
    editor.revealRange(new vscode.Range(0, 0, 0, 0), vscode.TextEditorRevealType.AtTop);
    await until('the pause', () => follow.current === 'paused');
    await prompt('/read {"file_path":"followed.txt","start_line":300,"limit":1}');
    assert.ok(!showing(target, 300));
    await vscode.commands.executeCommand('agentLs.toggleFollow');
    assert.equal(follow.current, 'on');
    await prompt('/read {"file_path":"followed.txt","start_line":300,"limit":1}');
    await until('the line again', () => showing(target, 300));
  });

  it('pauses when the user types there or goes elsewhere', async () => {
    const { follow } = await parts();
    follow.set('on');
    await prompt('/read {"file_path":"followed.txt","start_line":5,"limit":1}');
    await until('the line', () => showing(target, 5));
    await type(await vscode.window.showTextDocument(target, { viewColumn: shown(target)!.viewColumn }), 4, ' typed');
    await until('the pause', () => follow.current === 'paused');
    follow.set('on');
    await prompt('/read {"file_path":"followed.txt","start_line":50,"limit":1}');
    const { viewColumn } = await until('the line', () => showing(target, 50));
    await vscode.window.showTextDocument(mine.document, { viewColumn });
    await until('the pause', () => follow.current === 'paused');
  });
});
