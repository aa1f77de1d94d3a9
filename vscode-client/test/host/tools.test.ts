import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { answer, api, calls, closeAll, file, open, prompt, session, textOf, until } from './helper';

describe('tools of the editor', () => {
  afterEach(closeAll);

  it('asks for each of them in the mode ask', async () => {
    await open(await file('selected.txt', 'alpha beta\n'));
    const now = await session('ask');
    const done = prompt('/list_open_editors');
    const question = await until('the question', () => now.permissions[0]);
    assert.equal(question.call.title, 'List open editors');
    await answer(now, 'allow_once');
    await done;
    assert.match(textOf(calls(now)[0]!), /selected\.txt/);
  });

  it('reads and replaces the selection', async () => {
    const editor = await open(await file('selected.txt', 'alpha beta\n'));
    editor.selection = new vscode.Selection(0, 6, 0, 10);
    const now = await session('full-access');
    await prompt('/get_selected_text\n/replace_selection {"text":"gamma"}');
    assert.match(textOf(calls(now)[0]!), /"beta"/);
    assert.equal(editor.document.getText(), 'alpha gamma\n');
    assert.equal(editor.document.isDirty, true);
  });

  it('opens documents without the focus and tells diagnostics', async () => {
    const mine = await open(await file('mine.txt', 'mine\n'));
    const other = await file('other.txt', 'wrong\n');
    const collection = vscode.languages.createDiagnosticCollection('test');
    collection.set(other, [new vscode.Diagnostic(new vscode.Range(0, 0, 0, 5), 'is wrong', vscode.DiagnosticSeverity.Warning)]);
    const now = await session('full-access');
    await prompt('/get_diagnostics other.txt\n/open_document {"path":"other.txt","line":1}');
    collection.dispose();
    assert.match(textOf(calls(now)[0]!), /is wrong/);
    assert.equal(calls(now)[1]?.status, 'completed');
    assert.ok(vscode.window.tabGroups.all.flatMap((g) => g.tabs).some((t) => t.label === 'other.txt'));
    assert.ok(mine);
  });

  it('says what is missing as an error for the model', async () => {
    await closeAll();
    const now = await session('full-access');
    await prompt('/get_selected_text');
    assert.equal(calls(now)[0]?.status, 'failed');
    assert.match(textOf(calls(now)[0]!), /No text editor is open/);
  });

  it('takes tools of other extensions, and takes them away', async () => {
    const { registerTool } = await api();
    const now = await session('full-access');
    const tool = registerTool({
      name: 'add_numbers',
      description: 'Adds two numbers.',
      argsSchema: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number' } },
        required: ['a', 'b'],
        additionalProperties: false,
      },
      presentation: { title: 'Add {a} and {b}' },
      invoke: ({ a, b }) => ({ sum: Number(a) + Number(b) }),
    });
    await until('the tool', () => now.transcript.commands.some((c) => c.name === 'add_numbers'));
    await prompt('/add_numbers {"a":40,"b":2}');
    assert.equal(calls(now)[0]?.title, 'Add 40 and 2');
    assert.match(textOf(calls(now)[0]!), /42/);
    assert.throws(() => registerTool({ name: 'add_numbers', description: '', argsSchema: {}, invoke: () => null }), /already/);
    assert.throws(() => registerTool({ name: '1st', description: '', argsSchema: {}, invoke: () => null }), /no name/);
    tool.dispose();
    await until('it gone', () => !now.transcript.commands.some((c) => c.name === 'add_numbers'));
  });
});
