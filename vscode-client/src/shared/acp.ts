/**
 * The part of the Agent Client Protocol, version 1, that this client uses, as
 * the server speaks it over the language server's connection. Fields that are
 * not used are left out; unknown kinds are ignored by those who read them.
 */

export interface ToolCallLocation {
  readonly path: string;
  /** 1-based. */
  readonly line?: number;
}

export type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'resource_link'; readonly uri: string; readonly name: string }
  | {
      readonly type: 'resource';
      readonly resource: { readonly uri: string; readonly text?: string; readonly mimeType?: string };
    };

export interface DiffContent {
  readonly type: 'diff';
  readonly path: string;
  readonly oldText?: string | null;
  readonly newText: string;
  readonly _meta?: { readonly kind?: string };
}

export type ToolCallContent =
  | { readonly type: 'content'; readonly content: ContentBlock }
  | DiffContent
  | { readonly type: 'terminal'; readonly terminalId: string };

export type ToolCallStatus = 'pending' | 'in_progress' | 'completed' | 'failed';

export interface ToolCallMeta {
  readonly terminal_info?: { readonly terminal_id: string; readonly cwd?: string };
  readonly terminal_output?: { readonly terminal_id: string; readonly data: string };
  readonly terminal_exit?: {
    readonly terminal_id: string;
    readonly exit_code?: number | null;
    readonly signal?: string | null;
  };
}

/** Fields of a tool call; an update holds only those that have changed. */
export interface ToolCallFields {
  readonly toolCallId: string;
  readonly title?: string;
  readonly kind?: string;
  readonly status?: ToolCallStatus;
  readonly content?: readonly ToolCallContent[];
  readonly locations?: readonly ToolCallLocation[];
  readonly rawInput?: unknown;
  readonly rawOutput?: unknown;
  readonly _meta?: ToolCallMeta;
}

export interface PlanEntry {
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
  readonly priority?: string;
}

export interface AvailableCommand {
  readonly name: string;
  readonly description: string;
  readonly input?: { readonly hint: string };
}

export interface ConfigOption {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly currentValue: string;
  readonly options?: readonly { readonly value: string; readonly name: string; readonly description?: string }[];
}

export interface Usage {
  readonly used: number;
  readonly size: number;
  readonly cost?: { readonly amount: number; readonly currency: string };
}

export type Severity = 'info' | 'warning' | 'error';

export type SessionUpdate =
  | {
      readonly sessionUpdate: 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk';
      readonly content: ContentBlock;
      readonly messageId?: string;
    }
  | ({ readonly sessionUpdate: 'tool_call' | 'tool_call_update' } & ToolCallFields)
  | { readonly sessionUpdate: 'plan'; readonly entries: readonly PlanEntry[] }
  | { readonly sessionUpdate: 'available_commands_update'; readonly availableCommands: readonly AvailableCommand[] }
  | { readonly sessionUpdate: 'current_mode_update'; readonly currentModeId: string }
  | { readonly sessionUpdate: 'config_option_update'; readonly configOptions: readonly ConfigOption[] }
  | { readonly sessionUpdate: 'session_info_update'; readonly title?: string | null }
  | ({ readonly sessionUpdate: 'usage_update' } & Usage)
  | {
      readonly sessionUpdate: 'notice';
      readonly severity: Severity;
      readonly title: string;
      readonly description?: string;
    };

export interface PermissionOption {
  readonly optionId: string;
  readonly name: string;
  readonly kind: 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always';
}

export interface PermissionRequest {
  readonly sessionId: string;
  readonly toolCall: ToolCallFields;
  readonly options: readonly PermissionOption[];
}

export type PermissionOutcome =
  | { readonly outcome: { readonly outcome: 'cancelled' } }
  | { readonly outcome: { readonly outcome: 'selected'; readonly optionId: string } };

/** What session/new, load and resume answer. */
export interface SessionOpened {
  readonly sessionId?: string;
  readonly configOptions?: readonly ConfigOption[];
}

export interface PromptAnswer {
  readonly stopReason: string;
}

export interface SessionInfo {
  readonly sessionId: string;
  readonly cwd: string;
  readonly title?: string;
  readonly updatedAt?: string;
}

/** agent-ls/review: the hunks of one document that nobody has decided about. */
export interface ReviewParams {
  readonly uri: string;
  readonly version: number | null;
  readonly hunks: readonly ReviewHunk[];
}

export interface ReviewHunk {
  readonly id: string;
  /** LSP positions: 0-based lines; an empty range is a pure removal. */
  readonly range: {
    readonly start: { readonly line: number; readonly character: number };
    readonly end: { readonly line: number; readonly character: number };
  };
  readonly oldText: string;
  readonly sessionId: string;
  readonly toolCallId: string;
}
