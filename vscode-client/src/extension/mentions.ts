import * as path from 'node:path';
import * as vscode from 'vscode';
import type { ContentBlock } from '../shared/acp';
import type { Completion } from '../shared/messages';
import { diagnostics, selectedText, type LastEditor } from './editorTools';
import { folder } from './sessions';

/** How many files and folders are offered. */
const maxFiles = 40;
const maxSearched = 5000;

/** Offers what `@query` may name: the selection, the problems, files and folders. */
export async function completeMention(query: string): Promise<Completion[]> {
  const special: Completion[] = [
    { label: '@selection', insert: '@selection', detail: 'the selected text', icon: 'selection' },
    { label: '@problems', insert: '@problems', detail: 'errors and warnings', icon: 'warning' },
  ];
  const wanted = query.toLowerCase();
  return [...special.filter((c) => c.label.slice(1).startsWith(wanted)), ...(await files(wanted))];
}

async function files(wanted: string): Promise<Completion[]> {
  const found = await vscode.workspace.findFiles('**/*', undefined, maxSearched);
  const paths = new Set<string>();
  for (const uri of found) {
    const file = vscode.workspace.asRelativePath(uri);
    paths.add(file);
    for (let dir = path.posix.dirname(file); dir !== '.' && dir !== '/'; dir = path.posix.dirname(dir)) {
      paths.add(`${dir}/`);
    }
  }
  return [...paths]
    .map((file) => ({ file, rank: rank(file.toLowerCase(), wanted) }))
    .filter(({ rank: r }) => r >= 0)
    .sort((a, b) => a.rank - b.rank || a.file.length - b.file.length || a.file.localeCompare(b.file))
    .slice(0, maxFiles)
    .map(({ file }) => ({
      label: file,
      insert: file.includes(' ') ? `@"${file}"` : `@${file}`,
      icon: file.endsWith('/') ? 'folder' : 'file',
    }));
}

/** How well a path fits: name first, then begin, then anywhere; below 0: not. */
function rank(file: string, wanted: string): number {
  const name = path.posix.basename(file);
  return name.startsWith(wanted) ? 0 : file.startsWith(wanted) ? 1 : file.includes(wanted) ? 2 : -1;
}

const mention = /(^|\s)@(?:"([^"\n]+)"|(\S+))/g;

/**
 * A prompt's blocks: its text as it was typed, then what it mentions. Something
 * that looks like a mention and names nothing is only text.
 */
export async function promptBlocks(text: string, editor: LastEditor): Promise<ContentBlock[]> {
  const blocks: ContentBlock[] = [{ type: 'text', text }];
  const named = new Set([...text.matchAll(mention)].map((m) => m[2] ?? m[3]!));
  for (const name of named) {
    const block = await resolve(name, editor).catch(() => undefined);
    if (block) {
      blocks.push(block);
    }
  }
  return blocks;
}

/** The file of a name: in one of several folders where it begins with that folder's name, else in the first. */
function fileNamed(name: string): vscode.Uri {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const [first, ...rest] = name.split('/');
  const named = folders.length > 1 && !path.isAbsolute(name) ? folders.find((f) => f.name === first) : undefined;
  return named ? vscode.Uri.joinPath(named.uri, ...rest) : vscode.Uri.file(path.resolve(folder(), name));
}

async function resolve(name: string, editor: LastEditor): Promise<ContentBlock | undefined> {
  if (name === 'selection') {
    const { path: file, start_line: start, end_line: end, text } = selectedText(editor.get());
    return { type: 'resource', resource: { uri: `${vscode.Uri.file(file)}#L${start}-L${end}`, text, mimeType: 'text/plain' } };
  }
  if (name === 'problems') {
    const text = diagnostics()
      .problems.map((p) => `${p.path}:${p.line}: ${p.severity}: ${p.message}`)
      .join('\n');
    return { type: 'resource', resource: { uri: 'agent-ls:/problems', text: text || 'No problems.', mimeType: 'text/plain' } };
  }
  const uri = fileNamed(name);
  await vscode.workspace.fs.stat(uri);
  return { type: 'resource_link', uri: uri.toString(), name };
}
