import type {
  AvailableCommand,
  ConfigOption,
  ContentBlock,
  PlanEntry,
  SessionUpdate,
  Severity,
  ToolCallContent,
  ToolCallFields,
  ToolCallLocation,
  ToolCallStatus,
  Usage,
} from './acp';

/**
 * Transcript is a session as the updates tell it. The extension keeps one for
 * each open session and the chat view another one of the session it shows; both
 * are made of the same updates, so that they never differ. It knows no tool by
 * name.
 */

export interface TextItem {
  readonly type: 'user' | 'agent' | 'thought';
  readonly key: number;
  readonly messageId?: string;
  text: string;
  /** What came with the text: images and mentions. */
  readonly blocks: ContentBlock[];
}

export interface NoticeItem {
  readonly type: 'notice';
  readonly key: number;
  readonly severity: Severity;
  readonly title: string;
  readonly description?: string;
}

export interface TerminalState {
  readonly id: string;
  cwd?: string;
  output: string;
  exit?: { readonly code?: number | null; readonly signal?: string | null };
}

export interface CallItem {
  readonly type: 'call';
  readonly key: number;
  readonly id: string;
  title: string;
  kind: string;
  status: ToolCallStatus;
  content: readonly ToolCallContent[];
  locations: readonly ToolCallLocation[];
  rawInput?: unknown;
  rawOutput?: unknown;
  terminal?: TerminalState;
  /** Milliseconds since the epoch; absent in a replay, whose times are unknown. */
  started?: number;
  ended?: number;
}

export type Item = TextItem | NoticeItem | CallItem;

/** An update with the moment when it came, absent in a replay. */
export interface Timed {
  readonly update: SessionUpdate;
  readonly at?: number;
}

/** What an update has changed: an item, or something beside the items. */
export type Changed = { readonly item: Item; readonly added: boolean; readonly delta?: string } | 'beside' | undefined;

export interface Snapshot {
  readonly items: readonly Item[];
  readonly plan: readonly PlanEntry[];
  readonly commands: readonly AvailableCommand[];
  readonly options: readonly ConfigOption[];
  readonly title?: string;
  readonly usage?: Usage;
}

/** The most of a command's output that is kept, in UTF-16 units. */
export const maxOutput = 4 << 20;

const textKinds = {
  user_message_chunk: 'user',
  agent_message_chunk: 'agent',
  agent_thought_chunk: 'thought',
} as const;

export class Transcript {
  items: Item[] = [];
  plan: readonly PlanEntry[] = [];
  commands: readonly AvailableCommand[] = [];
  options: readonly ConfigOption[] = [];
  title?: string;
  usage?: Usage;
  private readonly calls = new Map<string, CallItem>();

  static from(snapshot: Snapshot): Transcript {
    const transcript = new Transcript();
    Object.assign(transcript, snapshot, { items: [...snapshot.items] });
    for (const item of transcript.items) {
      if (item.type === 'call') {
        transcript.calls.set(item.id, item);
      }
    }
    return transcript;
  }

  snapshot(): Snapshot {
    const { items, plan, commands, options, title, usage } = this;
    return { items, plan, commands, options, title, usage };
  }

  call(id: string): CallItem | undefined {
    return this.calls.get(id);
  }

  apply({ update, at }: Timed): Changed {
    switch (update.sessionUpdate) {
      case 'user_message_chunk':
      case 'agent_message_chunk':
      case 'agent_thought_chunk':
        return this.text(textKinds[update.sessionUpdate], update.content, update.messageId);
      case 'tool_call':
      case 'tool_call_update':
        return this.callChanged(update, at);
      case 'notice':
        return this.add({
          type: 'notice',
          key: this.items.length,
          severity: update.severity,
          title: update.title,
          description: update.description,
        });
      default:
        return this.beside(update);
    }
  }

  private beside(update: SessionUpdate): Changed {
    switch (update.sessionUpdate) {
      case 'plan':
        this.plan = update.entries;
        return 'beside';
      case 'available_commands_update':
        this.commands = update.availableCommands;
        return 'beside';
      case 'current_mode_update':
        this.options = this.options.map((o) => (o.id === 'mode' ? { ...o, currentValue: update.currentModeId } : o));
        return 'beside';
      case 'config_option_update':
        this.options = update.configOptions;
        return 'beside';
      case 'session_info_update':
        this.title = update.title ?? this.title;
        return 'beside';
      case 'usage_update':
        this.usage = { used: update.used, size: update.size, cost: update.cost };
        return 'beside';
      default:
        return undefined;
    }
  }

  private add(item: Item): Changed {
    this.items.push(item);
    return { item, added: true };
  }

  private text(type: TextItem['type'], content: ContentBlock, messageId?: string): Changed {
    const last = this.items.at(-1);
    const goesOn = last?.type === type && last.messageId === messageId;
    const item: TextItem = goesOn ? last : { type, key: this.items.length, messageId, text: '', blocks: [] };
    if (content.type === 'text') {
      item.text += content.text;
    } else {
      item.blocks.push(content);
    }
    return goesOn ? { item, added: false } : this.add(item);
  }

  private callChanged(fields: ToolCallFields, at?: number): Changed {
    const known = this.calls.get(fields.toolCallId);
    const item: CallItem = known ?? {
      type: 'call',
      key: this.items.length,
      id: fields.toolCallId,
      title: '',
      kind: 'other',
      status: 'pending',
      content: [],
      locations: [],
      started: at,
    };
    const delta = merge(item, fields, at);
    if (known) {
      return { item, added: false, delta };
    }
    this.calls.set(item.id, item);
    return this.add(item);
  }
}

const outputOnly = new Set(['sessionUpdate', 'toolCallId', '_meta']);

/**
 * Takes over what an update of a call says; the answer is the new output where
 * the update holds nothing else, so that a view can append it.
 */
function merge(item: CallItem, fields: ToolCallFields, at?: number): string | undefined {
  item.title = fields.title ?? item.title;
  item.kind = fields.kind ?? item.kind;
  item.content = fields.content ?? item.content;
  item.locations = fields.locations ?? item.locations;
  item.rawInput = fields.rawInput ?? item.rawInput;
  item.rawOutput = fields.rawOutput ?? item.rawOutput;
  if (fields.status && fields.status !== item.status) {
    item.status = fields.status;
    item.ended = isOver(item.status) ? at : undefined;
  }
  const { terminal_info: info, terminal_output: output, terminal_exit: exit } = fields._meta ?? {};
  const id = info?.terminal_id ?? output?.terminal_id ?? exit?.terminal_id;
  if (id === undefined) {
    return undefined;
  }
  const terminal = (item.terminal ??= { id, output: '' });
  terminal.cwd = info?.cwd ?? terminal.cwd;
  terminal.output = bounded(terminal.output + (output?.data ?? ''));
  if (exit) {
    terminal.exit = { code: exit.exit_code, signal: exit.signal };
  }
  const alone = !exit && Object.keys(fields).every((name) => outputOnly.has(name));
  return alone ? output?.data : undefined;
}

/** Keeps the end of a long output, from the begin of a line. */
function bounded(output: string): string {
  if (output.length <= maxOutput) {
    return output;
  }
  const start = output.indexOf('\n', output.length - maxOutput / 2) + 1;
  return output.slice(start || output.length - maxOutput / 2);
}

export function isOver(status: ToolCallStatus): boolean {
  return status === 'completed' || status === 'failed';
}
