import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { baseOf } from '../../src/extension/review';
import { closeAll, disk, file, open, parts, prompt, session, type, until } from './helper';

const before = Array.from({ length: 20 }, (_, i) => `line ${i + 1}\n`).join('');
const edits = JSON.stringify([
  { old_string: 'line 3\n', new_string: 'three\nand a half\n' },
  { old_string: 'line 10\n', new_string: '' },
  { old_string: 'line 17\n', new_string: 'seventeen\n' },
]);

/** A file with three hunks of the agent: one that grows, one removal, one replacement. */
async function changed(name: string): Promise<vscode.Uri> {
  const uri = await file(name, before);
  await session('full-access');
  await prompt(`/read ${name}\n/edit {"file_path":"${name}","edits":${edits}}`);
  const { review } = await parts();
  await until('three hunks', () => review.hunks(uri).length === 3);
  return uri;
}

const pieces = [
  ['line 3\n', 'three\nand a half\n'],
  ['line 10\n', ''],
  ['line 17\n', 'seventeen\n'],
] as const;

/** The text when of each hunk the agent's (true) or the user's lines hold. */
function expected(agent: readonly boolean[]): string {
  let text = before;
  pieces.forEach(([from, to], i) => (text = agent[i] ? text.replace(from, to) : text));
  return text;
}

const orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

describe('review', () => {
  afterEach(async () => {
    const { review } = await parts();
    if (review.pending.length > 0) {
      await review.decideAll(true);
    }
    await until('nothing pending', () => review.pending.length === 0);
    await closeAll();
  });

  for (const [n, order] of orders.entries()) {
    it(`keeps and undoes hunks in the order ${order.join(' ')}`, async () => {
      const uri = await changed(`order${n}.txt`);
      const { review } = await parts();
      const ids = [...review.hunks(uri)].sort((a, b) => a.range.start.line - b.range.start.line).map((h) => h.id);
      const kept = order.map((_, i) => (i + n) % 2 === 0);
      for (const i of order) {
        await review.decide(kept[i]!, [ids[i]!]);
      }
      await until('no hunk', () => review.hunks(uri).length === 0);
      assert.equal(await disk(uri), expected(kept));
    });
  }

  it('takes decisions back', async () => {
    const uri = await changed('back.txt');
    const { review } = await parts();
    await review.decideFile(false, uri);
    assert.equal(await disk(uri), before);
    await vscode.commands.executeCommand('agentLs.undoDecision');
    await until('the hunks again', () => review.hunks(uri).length === 3);
    assert.equal(await disk(uri), expected([true, true, true]));
  });

  it("keeps the user's typing out of it", async () => {
    const uri = await changed('typed.txt');
    const editor = await open(uri);
    await type(editor, 0, ' mine');
    const { review } = await parts();
    await until('the hunks of the new text', () => review.hunks(uri).length === 3);
    await review.decideFile(false, uri);
    await until('the undone text', () => editor.document.getText() === before.replace('line 1\n', 'line 1 mine\n'));
  });

  it('goes from change to change and decides at the caret', async () => {
    const uri = await changed('caret.txt');
    const { review } = await parts();
    const editor = await open(uri);
    const lines: number[] = [];
    for (let i = 0; i < 4; i++) {
      await vscode.commands.executeCommand('agentLs.nextChange');
      lines.push(editor.selection.active.line);
    }
    assert.deepEqual(lines, [2, 10, 17 - 1, 2]);
    await vscode.commands.executeCommand('agentLs.previousChange');
    assert.equal(editor.selection.active.line, 16);
    await vscode.commands.executeCommand('agentLs.undoHunk');
    await until('two hunks', () => review.hunks(uri).length === 2);
    assert.match(editor.document.getText(), /line 17\n/);
  });

  it('has a lens for Keep and one for Undo at each hunk', async () => {
    const uri = await changed('lenses.txt');
    await open(uri);
    const lenses = await until('the lenses', async () => {
      const found = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri, 10);
      return found.length === 6 && found;
    });
    const keep = lenses.find((l) => l.command?.command === 'agent-ls.keepHunk');
    await vscode.commands.executeCommand(keep!.command!.command, ...keep!.command!.arguments!);
    const { review } = await parts();
    await until('two hunks', () => review.hunks(uri).length === 2);
  });

  it('compares with the text before, one file or all of them', async () => {
    const uri = await changed('compared.txt');
    const base = await vscode.workspace.openTextDocument(baseOf(uri));
    assert.equal(base.getText(), before);
    await vscode.commands.executeCommand('agentLs.openDiff', uri);
    await until('the diff', () => {
      const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      return input instanceof vscode.TabInputTextDiff && input.modified.toString() === uri.toString();
    });
    await vscode.commands.executeCommand('agentLs.openAllDiffs');
    await until('the diff of all', () => vscode.window.tabGroups.activeTabGroup.activeTab?.label.startsWith('Changes of the agent'));
  });
});
