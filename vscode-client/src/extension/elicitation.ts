import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';

/** What an MCP server asks its user, through elicitation/create. */
interface Elicitation {
  readonly mode?: string;
  readonly message: string;
  readonly url?: string;
  readonly requestedSchema?: { readonly properties?: Record<string, Field>; readonly required?: readonly string[] };
}

interface Choice {
  readonly const: string;
  readonly title?: string;
}

interface Field {
  readonly type: string;
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly oneOf?: readonly Choice[];
  readonly items?: { readonly enum?: readonly string[]; readonly anyOf?: readonly Choice[] };
}

type Answer = { readonly action: 'accept'; readonly content?: Record<string, unknown> } | { readonly action: 'decline' | 'cancel' };

export function servesElicitation(client: LanguageClient): void {
  client.onRequest<Answer, void>('elicitation/create', (question: Elicitation, token: vscode.CancellationToken): Promise<Answer> =>
    question.url ? askToOpen(question.message, question.url) : fillIn(question, token),
  );
}

async function askToOpen(message: string, url: string): Promise<Answer> {
  const open = 'Open';
  const chosen = await vscode.window.showInformationMessage(message, { modal: true, detail: url }, open);
  if (chosen !== open) {
    return { action: 'cancel' };
  }
  await vscode.env.openExternal(vscode.Uri.parse(url, true));
  return { action: 'accept' };
}

/** Asks for the fields of a form one after the other; leaving one cancels all. */
async function fillIn(question: Elicitation, token: vscode.CancellationToken): Promise<Answer> {
  const fields = Object.entries(question.requestedSchema?.properties ?? {});
  const required = new Set(question.requestedSchema?.required);
  const content: Record<string, unknown> = {};
  for (const [i, [name, field]] of fields.entries()) {
    const value = await askField(question.message, `${i + 1}/${fields.length}`, name, field, required.has(name), token);
    if (value === undefined) {
      return { action: 'cancel' };
    }
    if (value !== '' || required.has(name)) {
      content[name] = value;
    }
  }
  return { action: 'accept', content };
}

async function askField(
  message: string,
  step: string,
  name: string,
  field: Field,
  required: boolean,
  token: vscode.CancellationToken,
): Promise<unknown> {
  const title = `${message} (${step})`;
  const placeHolder = [field.title ?? name, field.description].filter(Boolean).join(': ');
  const choices = choicesOf(field);
  if (choices) {
    const options = { title, placeHolder, ignoreFocusOut: true };
    if (field.type === 'array') {
      const picked = await vscode.window.showQuickPick(choices, { ...options, canPickMany: true }, token);
      return picked?.map((c) => c.value);
    }
    return (await vscode.window.showQuickPick(choices, options, token))?.value;
  }
  const value = field.default === undefined ? '' : String(field.default);
  const prompt = required ? placeHolder : `${placeHolder} (may stay empty)`;
  const validateInput = (text: string) => invalid(text, field, required);
  const text = await vscode.window.showInputBox({ title, prompt, value, ignoreFocusOut: true, validateInput }, token);
  return text && isNumber(field) ? Number(text) : text;
}

function choicesOf(field: Field): { label: string; value: unknown }[] | undefined {
  if (field.type === 'boolean') {
    return [
      { label: 'Yes', value: true },
      { label: 'No', value: false },
    ];
  }
  const named = field.oneOf ?? field.items?.anyOf;
  const plain = field.enum ?? field.items?.enum;
  return named?.map((c) => ({ label: c.title ?? c.const, value: c.const })) ?? plain?.map((v) => ({ label: v, value: v }));
}

function isNumber(field: Field): boolean {
  return field.type === 'number' || field.type === 'integer';
}

function invalid(text: string, field: Field, required: boolean): string | undefined {
  if (text === '') {
    return required ? 'A value is needed' : undefined;
  }
  if (isNumber(field) && !(field.type === 'integer' ? /^-?\d+$/ : /^-?\d+(\.\d+)?$/).test(text)) {
    return field.type === 'integer' ? 'A whole number is needed' : 'A number is needed';
  }
  return undefined;
}
