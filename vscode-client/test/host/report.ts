import { appendFileSync } from 'node:fs';

/** Where the report goes: what the extension host prints is mixed with the workbench's own. */
const report = process.env['VSCODE_CLIENT_REPORT']!;

export function say(line: string): void {
  appendFileSync(report, `${line}\n`);
}
