import type * as vscode from 'vscode';

/**
 * What other extensions get of this one:
 *
 *     const agent = vscode.extensions.getExtension<AgentLs>('agent-ls.agent-ls');
 *     const api = await agent?.activate();
 */
export interface AgentLs {
  readonly version: 1;
  /**
   * Declares a tool that the model may call; the user is asked for each call as
   * the mode says. Sessions that are open get it once no turn runs. Throws when
   * the name is taken or is none.
   */
  registerTool(tool: AgentTool): vscode.Disposable;
  /** Sends a prompt to the current session; resolves when its turn has ended. */
  prompt(text: string): Promise<{ readonly stopReason: string }>;
}

export interface AgentTool {
  /** Letters, digits and `_`, beginning with a letter. */
  readonly name: string;
  /** What it does and when to use it, for the model. */
  readonly description: string;
  /** A JSON schema of an object. */
  readonly argsSchema: object;
  /** How long a call may take, in milliseconds; 60 s when absent. */
  readonly timeoutMs?: number;
  /** The card's title, with `{argument}` placeholders, and its kind. */
  readonly presentation?: { readonly title?: string; readonly kind?: string };
  /**
   * Runs a call. The result is any JSON; an error is what the model reads. The
   * token is cancelled when nobody waits for the result any more.
   */
  invoke(args: Readonly<Record<string, unknown>>, token: vscode.CancellationToken): unknown;
}
