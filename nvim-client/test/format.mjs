// node test/format.mjs [--write]: checks that all Lua files are formatted as stylua.toml says, or formats them.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as stylua from '@johnnymorganz/stylua';

const top = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const options = Object.fromEntries(
  [...readFileSync(path.join(top, 'stylua.toml'), 'utf8').matchAll(/^(\w+) = "?(\w+)"?$/gm)].map(m => [m[1], m[2]]));

// A formatter takes its configuration away, so each file needs a new one.
function config() {
  const c = stylua.Config.new();
  c.column_width = Number(options.column_width);
  c.indent_type = stylua.IndentType[options.indent_type];
  c.indent_width = Number(options.indent_width);
  c.quote_style = stylua.QuoteStyle[options.quote_style];
  return c;
}

const files = ['lsp', 'lua', 'plugin', 'test'].flatMap(dir =>
  readdirSync(path.join(top, dir), { recursive: true, withFileTypes: true })
    .filter(e => e.isFile() && e.name.endsWith('.lua'))
    .map(e => path.join(e.parentPath ?? e.path, e.name)));

for (const file of files) {
  const code = readFileSync(file, 'utf8');
  const formatted = stylua.formatCode(code, config(), undefined, stylua.OutputVerification.Full);
  if (formatted === code) continue;
  if (process.argv.includes('--write')) writeFileSync(file, formatted);
  else {
    console.log(`not formatted: ${path.relative(top, file)}; npm run format does it`);
    process.exitCode = 1;
  }
}
