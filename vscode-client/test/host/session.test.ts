import * as assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { describe as describeChanges, type ForeseenChange } from '../../src/extension/checkpoints';
import { answer, api, calls, closeAll, disk, file, open, parts, prompt, session, textOf, type, until } from './helper';
import { say } from './report';

describe('sessions', () => {
  afterEach(closeAll);

  it('activates quickly and starts the server by itself', async () => {
    const { activation } = await parts();
    say(`  measured: activation ${activation.toFixed(1)} ms`);
    assert.equal((await api()).version, 1);
  });

  it('shows a card of every kind from updates alone', async () => {
    await file('cards.txt', 'one\ntwo\nthree\n');
    const now = await session('full-access');
    const stop = await prompt(
      [
        'Some text.',
        '/read cards.txt',
        '/edit {"file_path":"cards.txt","old_string":"two","new_string":"2"}',
        "!printf 'a\\033[31mb\\033[0m\\n'; exit 3",
        '/grep three',
        '/todo_new {"todos":[{"content":"look","activeForm":"Looking","status":"in_progress"}]}',
        '/read missing.txt',
      ].join('\n'),
    );
    assert.equal(stop, 'end_turn');
    const [read, edit, bash, grep, , failed] = calls(now);
    assert.equal(read?.kind, 'read');
    assert.match(textOf(read!), /1: one/);
    assert.equal(read?.locations[0]?.line, 1);
    assert.equal(edit?.content[0]?.type, 'diff');
    assert.deepEqual([bash?.kind, bash?.terminal?.exit?.code, bash?.status], ['execute', 3, 'completed']);
    assert.match(bash?.terminal?.output ?? '', /\u001b\[31mb/);
    assert.equal(grep?.locations[0]?.line, 3);
    assert.equal(failed?.status, 'failed');
    assert.equal(now.transcript.plan[0]?.content, 'look');
    assert.ok(calls(now).every((c) => c.started !== undefined && c.ended !== undefined));
    assert.equal(now.transcript.items[0]?.type, 'user');
  });

  it('reads unsaved text', async () => {
    const editor = await open(await file('unsaved.txt', 'on disk\n'));
    await type(editor, 0, ' and typed');
    const now = await session('ask');
    await prompt('/read unsaved.txt');
    assert.match(textOf(calls(now)[0]!), /on disk and typed/);
    assert.equal(editor.document.isDirty, true);
  });

  it("edits a dirty buffer, keeps the user's text and saves it for commands", async () => {
    const uri = await file('dirty.txt', 'first\nsecond\nthird\n');
    const editor = await open(uri);
    await type(editor, 0, ' mine');
    const now = await session('full-access');
    await prompt('/read dirty.txt\n/edit {"file_path":"dirty.txt","old_string":"third","new_string":"3rd"}\n!cat dirty.txt');
    assert.equal(editor.document.getText(), 'first mine\nsecond\n3rd\n');
    assert.equal(await disk(uri), 'first mine\nsecond\n3rd\n');
    assert.match(calls(now)[2]?.terminal?.output ?? '', /first mine\r?\nsecond\r?\n3rd/);
    await vscode.commands.executeCommand('undo');
    assert.equal(editor.document.getText(), 'first mine\nsecond\nthird\n');
  });

  it('goes on with what a formatter made of a file when it was saved', async () => {
    const uri = await file('formatted.txt', 'first\nsecond\n');
    const formatter = vscode.languages.registerDocumentFormattingEditProvider({ pattern: '**/formatted.txt' }, {
      provideDocumentFormattingEdits: (document) => [vscode.TextEdit.insert(document.lineAt(document.lineCount - 1).range.end, 'formatted\n')],
    });
    const all = vscode.workspace.getConfiguration('editor');
    await all.update('formatOnSave', true, vscode.ConfigurationTarget.Global);
    try {
      await type(await open(uri), 0, ' mine');
      const now = await session('full-access');
      const again = '/edit {"file_path":"formatted.txt","old_string":"formatted","new_string":"well formatted"}';
      await prompt(`/read formatted.txt\n/edit {"file_path":"formatted.txt","old_string":"second","new_string":"2nd"}\n!cat formatted.txt\n/read formatted.txt\n${again}`);
      assert.match(calls(now)[2]?.terminal?.output ?? '', /first mine\r?\n2nd\r?\nformatted/);
      assert.match(textOf(calls(now)[3]!), /3: formatted/);
      assert.equal(calls(now)[4]?.status, 'completed');
    } finally {
      formatter.dispose();
      await all.update('formatOnSave', undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it('queues prompts, removes them and sends one now', async () => {
    const now = await session('full-access');
    const first = prompt('!sleep 30');
    await until('the command', () => calls(now)[0]?.status === 'in_progress');
    const second = prompt('!echo second');
    const third = prompt('!echo third');
    await until('two waiting', () => now.waiting.length === 2);
    now.unqueue(now.waiting[0]!.id);
    assert.equal(await second, 'cancelled');
    now.sendQueued(now.waiting[0]!.id);
    assert.equal(await first, 'cancelled');
    assert.equal(await third, 'end_turn');
    assert.match(calls(now).at(-1)?.terminal?.output ?? '', /third/);
  });

  it('mentions files, the selection and problems', async () => {
    const editor = await open(await file('some dir/mention.txt', 'alpha\nbeta\n'));
    editor.selection = new vscode.Selection(1, 0, 1, 4);
    const now = await session('ask');
    await prompt('look at @"some dir/mention.txt" and @selection and @nothing-there');
    const user = now.transcript.items[0];
    assert.equal(user?.type, 'user');
    const blocks = user?.type === 'user' ? user.blocks : [];
    assert.deepEqual(blocks.map((b) => b.type), ['resource_link', 'resource']);
    assert.equal(blocks[1]?.type === 'resource' && blocks[1].resource.text, 'beta');
  });

  it('lists, loads and deletes sessions', async () => {
    const { sessions } = await parts();
    const old = await session('full-access');
    await prompt('!echo remembered');
    await session('ask');
    assert.ok((await sessions.list()).some((s) => s.sessionId === old.id));
    const loaded = await sessions.load(old.id);
    assert.equal(sessions.current?.id, old.id);
    assert.match(calls(loaded)[0]?.terminal?.output ?? '', /remembered/);
    await sessions.delete(old.id);
    assert.equal(sessions.current, undefined);
    assert.ok(!(await sessions.list()).some((s) => s.sessionId === old.id));
  });

  it('goes back to a checkpoint', async () => {
    const uri = await file('restore.txt', 'before\n');
    const now = await session('full-access');
    await prompt('/read restore.txt\n/edit {"file_path":"restore.txt","old_string":"before","new_string":"after"}');
    const mark = await until('the checkpoint', () => now.checkpoints[0]);
    assert.deepEqual(now.filesSince(mark.id), [uri.fsPath]);
    const { connection } = await parts();
    const dry = await connection.command<{ changes: ForeseenChange[] }>('agent-ls.restoreCheckpoint', mark.id, { dryRun: true });
    assert.deepEqual(dry.changes, [{ path: uri.fsPath, change: 'update', added: 1, removed: 1 }]);
    assert.match(describeChanges(dry.changes)[0]!, /restore\.txt changes: \+1 −1$/);
    const then = await vscode.workspace.openTextDocument(vscode.Uri.from({ scheme: 'agent-ls', path: `/checkpoint/${mark.id}${uri.path}` }));
    assert.equal(then.getText(), 'before\n');
    assert.equal(await disk(uri), 'after\n');
    await connection.command('agent-ls.restoreCheckpoint', mark.id);
    assert.equal(await disk(uri), 'before\n');
  });

  it('starts a crashed server again and brings the session back', async () => {
    const { connection, sessions } = await parts();
    const now = await session('full-access');
    await prompt('!echo survives');
    const restarted = new Promise<void>((resolve) => {
      const listener = sessions.onSwitch(() => {
        listener.dispose();
        resolve();
      });
    });
    process.kill(serverPid(), 'SIGKILL');
    await restarted;
    assert.equal(connection.current.kind, 'ready');
    assert.equal(sessions.current?.id, now.id);
    assert.match(calls(now)[0]?.terminal?.output ?? '', /survives/);
    assert.equal(await prompt('!echo again'), 'end_turn');
    assert.match(calls(now)[1]?.terminal?.output ?? '', /again/);
  });

  it('opens the terminal of a command as a real one', async () => {
    const now = await session('full-access');
    await prompt('!echo in a terminal');
    const { chat } = await parts();
    const before = vscode.window.terminals.length;
    chat.message(undefined as never, { type: 'openTerminal', callId: calls(now)[0]!.id });
    await until('the terminal', () => vscode.window.terminals.length === before + 1);
    vscode.window.terminals.at(-1)?.dispose();
  });
});

describe('permission', () => {
  it('runs what is allowed', async () => {
    const now = await session('ask');
    const done = prompt('!echo allowed');
    const question = await until('the question', () => now.permissions[0]);
    assert.equal(question.call.rawInput, 'echo allowed');
    await answer(now, 'allow_once');
    assert.equal(await done, 'end_turn');
    assert.match(calls(now)[0]?.terminal?.output ?? '', /allowed/);
  });

  it('takes no answer in the first half second', async () => {
    const now = await session('ask');
    const { sessions } = await parts();
    // Answered in the moment when it is asked, however slow the machine is.
    const waiting = new Promise<number>((resolve) => {
      const listener = sessions.onStatus(() => {
        const question = now.permissions[0];
        if (question) {
          listener.dispose();
          now.answer(question.id, question.options[0]!.optionId);
          resolve(now.permissions.length);
        }
      });
    });
    const done = prompt('!echo early');
    assert.equal(await waiting, 1);
    await answer(now, 'reject_once');
    await done;
    assert.equal(calls(now)[0]?.status, 'failed');
  });

  it('is answered by commands, and the diff is in the question', async () => {
    const uri = await file('asked.txt', 'old\n');
    const now = await session('ask');
    const done = prompt('/read asked.txt\n/edit {"file_path":"asked.txt","old_string":"old","new_string":"new"}');
    const question = await until('the question', () => now.permissions[0]);
    assert.equal(question.call.content?.[0]?.type, 'diff');
    assert.equal(await disk(uri), 'old\n');
    await until('the command to answer', async () => {
      await vscode.commands.executeCommand('agentLs.allow');
      return now.permissions.length === 0;
    });
    await done;
    assert.equal(await disk(uri), 'new\n');
  });

  it('is withdrawn when the turn is cancelled', async () => {
    const now = await session('ask');
    const done = prompt('!echo never');
    await until('the question', () => now.permissions[0]);
    await vscode.commands.executeCommand('agentLs.stop');
    assert.equal(await done, 'cancelled');
    assert.equal(now.permissions.length, 0);
    assert.equal(calls(now)[0]?.status, 'failed');
  });
});

/** The server's process: the child of this extension host that runs it. */
function serverPid(): number {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      const parent = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[1];
      if (command.includes('agent-ls\0lsp') && Number(parent) === process.pid) {
        return Number(pid);
      }
    } catch {
      // The process has ended meanwhile.
    }
  }
  throw new Error('the server does not run');
}
