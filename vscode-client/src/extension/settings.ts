import * as vscode from 'vscode';

/** The extension's settings; see the manifest for what each one means. */
export interface Settings {
  readonly serverPath: string;
  readonly configFile: string;
  readonly model: string;
  readonly mode: string;
}

export function settings(): Settings {
  const all = vscode.workspace.getConfiguration('agentLs');
  return {
    serverPath: machine(all, 'server.path'),
    configFile: machine(all, 'server.configFile'),
    model: machine(all, 'model'),
    mode: machine(all, 'mode'),
  };
}

/**
 * A setting that a workspace must not set: whatever its scope says, only the
 * user's own value counts.
 */
function machine(all: vscode.WorkspaceConfiguration, name: string): string {
  const found = all.inspect<string>(name);
  return (found?.globalValue ?? found?.defaultValue ?? '').trim();
}

/** Which settings need another server when they change. */
export function needsRestart(change: vscode.ConfigurationChangeEvent): boolean {
  return ['server.path', 'server.configFile', 'model', 'mode'].some((name) =>
    change.affectsConfiguration(`agentLs.${name}`),
  );
}
