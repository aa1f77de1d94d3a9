import * as vscode from 'vscode';

/** The extension's settings; see the manifest for what each one means. */
export interface Settings {
  readonly serverPath: string;
  readonly configFile: string;
  readonly model: string;
  readonly mode: string;
}

/** An MCP server as the setting has it. */
interface McpServer {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function settings(): Settings {
  const all = vscode.workspace.getConfiguration('agentLs');
  return {
    serverPath: text(all, 'server.path'),
    configFile: text(all, 'server.configFile'),
    model: text(all, 'model'),
    mode: text(all, 'mode'),
  };
}

/** The MCP servers as session/new wants them; none in a workspace that is not trusted. */
export function mcpServers(): object[] {
  const servers = machine<Record<string, McpServer>>(vscode.workspace.getConfiguration('agentLs'), 'mcpServers') ?? {};
  const pairs = (from: Readonly<Record<string, string>> = {}) => Object.entries(from).map(([name, value]) => ({ name, value }));
  return Object.entries(vscode.workspace.isTrusted ? servers : {}).map(([name, { command, args = [], env, url, headers }]) =>
    url === undefined ? { name, command, args, env: pairs(env) } : { type: 'http', name, url, headers: pairs(headers) },
  );
}

/**
 * A setting that a workspace must not set: whatever its scope says, only the
 * user's own value counts.
 */
function machine<T>(all: vscode.WorkspaceConfiguration, name: string): T | undefined {
  const found = all.inspect<T>(name);
  return found?.globalValue ?? found?.defaultValue;
}

function text(all: vscode.WorkspaceConfiguration, name: string): string {
  return (machine<string>(all, name) ?? '').trim();
}

/** Which settings need another server when they change. */
export function needsRestart(change: vscode.ConfigurationChangeEvent): boolean {
  return ['server.path', 'server.configFile', 'model', 'mode'].some((name) =>
    change.affectsConfiguration(`agentLs.${name}`),
  );
}
