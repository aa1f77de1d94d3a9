import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Review } from './review';

/** A file of the view, as its commands get it. */
export interface ChangedFile {
  readonly uri: vscode.Uri;
  readonly hunks: number;
}

/** Changes is the view of the files with pending hunks. */
export class Changes implements vscode.TreeDataProvider<ChangedFile>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<ChangedFile>;
  private readonly listener: vscode.Disposable;

  constructor(private readonly review: Review) {
    this.view = vscode.window.createTreeView('agentLs.changes', { treeDataProvider: this });
    this.listener = review.onChange(() => this.refresh());
  }

  getChildren(file?: ChangedFile): ChangedFile[] {
    return file ? [] : this.review.pending.map(({ uri, hunks }) => ({ uri, hunks: hunks.length }));
  }

  getTreeItem({ uri, hunks }: ChangedFile): vscode.TreeItem {
    const item = new vscode.TreeItem(uri);
    const folder = path.dirname(vscode.workspace.asRelativePath(uri));
    const count = hunks === 1 ? '1 change' : `${hunks} changes`;
    item.description = folder === '.' ? count : `${folder} · ${count}`;
    item.contextValue = 'changedFile';
    item.command = { command: 'agentLs.openDiff', title: 'Open Diff', arguments: [uri] };
    return item;
  }

  dispose(): void {
    this.view.dispose();
    this.listener.dispose();
    this.changed.dispose();
  }

  private refresh(): void {
    const files = this.review.pending.length;
    this.view.badge = files > 0 ? { value: files, tooltip: `${files} files with changes of the agent` } : undefined;
    this.changed.fire();
  }
}
