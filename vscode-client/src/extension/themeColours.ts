import * as vscode from 'vscode';
import type { SyntaxColours } from '../shared/messages';

/** The scope of TextMate grammars that stands for a class of highlight.js. */
const scopes: Readonly<Record<string, string>> = {
  comment: 'comment',
  keyword: 'keyword.control',
  built_in: 'support.function',
  literal: 'constant.language',
  number: 'constant.numeric',
  string: 'string.quoted',
  title: 'entity.name.function',
  type: 'entity.name.type',
  variable: 'variable.other',
  attr: 'entity.other.attribute-name',
  tag: 'entity.name.tag',
  regexp: 'string.regexp',
};

interface TokenRule {
  readonly scope?: string | readonly string[];
  readonly settings?: { readonly foreground?: string };
}

interface ThemeFile {
  readonly include?: string;
  readonly tokenColors?: readonly TokenRule[] | string;
}

/**
 * Reads the colours of the syntax from the file of a theme, by its id; webviews
 * are not told them. Empty where the file is not to be had, as on a remote host
 * without the theme: the view then has colours of its own.
 */
export async function syntaxColours(theme: string): Promise<SyntaxColours> {
  const file = themeFile(theme);
  if (!file) {
    return {};
  }
  const rules = await tokenRules(file).catch(() => []);
  const colours: Record<string, string> = {};
  for (const [name, scope] of Object.entries(scopes)) {
    const colour = colourOf(rules, scope);
    if (colour) {
      colours[name] = colour;
    }
  }
  return colours;
}

function themeFile(name: string): vscode.Uri | undefined {
  for (const extension of vscode.extensions.all) {
    const manifest = extension.packageJSON as { contributes?: { themes?: { id?: string; label?: string; path: string }[] } };
    const theme = manifest.contributes?.themes?.find((t) => t.id === name || t.label === name);
    if (theme) {
      return vscode.Uri.joinPath(extension.extensionUri, theme.path);
    }
  }
  return undefined;
}

/** The rules of a theme and of those that it includes, in their order. */
async function tokenRules(file: vscode.Uri, depth = 0): Promise<TokenRule[]> {
  const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
  const theme = JSON.parse(plainJson(text)) as ThemeFile;
  const included =
    theme.include && depth < 8 ? await tokenRules(vscode.Uri.joinPath(file, '..', theme.include), depth + 1) : [];
  return Array.isArray(theme.tokenColors) ? [...included, ...(theme.tokenColors as TokenRule[])] : included;
}

/** JSON with comments and trailing commas as plain JSON. */
export function plainJson(text: string): string {
  const noComments = text.replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_, string?: string) => string ?? '');
  return noComments.replace(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, (_, string?: string) => string ?? '');
}

/** The colour of the most specific rule; of equal ones the last wins. */
export function colourOf(rules: readonly TokenRule[], scope: string): string | undefined {
  let best = -1;
  let colour: string | undefined;
  for (const { scope: given, settings } of rules) {
    const selectors = typeof given === 'string' ? given.split(',') : (given ?? []);
    for (const selector of selectors.map((s) => s.trim())) {
      const fits = scope === selector || scope.startsWith(`${selector}.`);
      if (fits && settings?.foreground && selector.length >= best) {
        best = selector.length;
        colour = settings.foreground;
      }
    }
  }
  return colour;
}
