import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import type { AgentTool } from './api';
import type { Sessions } from './sessions';

interface ToolCall {
  readonly tool: string;
  readonly args: Record<string, unknown>;
}

const toolName = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/**
 * Tools are those that run in the editor: ours and those of other extensions.
 * They are declared to the server, which asks the user and then calls them.
 */
export class Tools implements vscode.Disposable {
  private readonly tools = new Map<string, AgentTool>();
  private stale = false;
  private listener?: vscode.Disposable;

  /** Declares tools anew whenever they have changed and no turn runs. */
  serve(sessions: Sessions, log: vscode.LogOutputChannel): void {
    const declare = () => {
      if (this.stale && !sessions.anyRunning) {
        this.stale = false;
        sessions.declareTools().catch((error: unknown) => log.warn(`Tools are not declared: ${String(error)}`));
      }
    };
    this.changed = declare;
    this.listener = sessions.onStatus(declare);
  }

  private changed: () => void = () => undefined;

  listen(client: LanguageClient): void {
    client.onRequest('_agent-ls/tool_call', async (call: ToolCall, token: vscode.CancellationToken) => {
      const tool = this.tools.get(call.tool);
      if (!tool) {
        throw new Error(`No extension has a tool ${call.tool} any more.`);
      }
      return (await tool.invoke(call.args, token)) ?? null;
    });
  }

  register(tool: AgentTool): vscode.Disposable {
    if (!toolName.test(tool.name)) {
      throw new Error(`"${tool.name}" is no name for a tool: letters, digits and _, beginning with a letter.`);
    }
    if (this.tools.has(tool.name)) {
      throw new Error(`There is a tool ${tool.name} already; choose another name.`);
    }
    this.tools.set(tool.name, tool);
    this.stale = true;
    this.changed();
    return new vscode.Disposable(() => {
      if (this.tools.get(tool.name) === tool) {
        this.tools.delete(tool.name);
        this.stale = true;
        this.changed();
      }
    });
  }

  /** What the server is told of the tools. */
  manifest(): { tools: object[] } {
    return {
      tools: [...this.tools.values()].map(({ name, description, argsSchema, timeoutMs, presentation }) => ({
        name,
        description,
        argsSchema,
        ...(timeoutMs && { timeoutMs }),
        ...(presentation && { presentation }),
      })),
    };
  }

  dispose(): void {
    this.listener?.dispose();
    this.tools.clear();
  }
}
