// Builds the extension and its chat page; with --tests the tests too.
import * as esbuild from 'esbuild';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const shipped = { bundle: true, minify: true, logLevel: 'warning', target: 'es2023', legalComments: 'none', metafile: true };

const results = await Promise.all([
  esbuild.build({
    ...shipped,
    entryPoints: { extension: 'src/extension/extension.ts' },
    outdir: 'dist',
    platform: 'node',
    format: 'cjs',
    external: ['vscode'],
  }),
  esbuild.build({
    ...shipped,
    entryPoints: { chat: 'src/webview/main.ts' },
    outdir: 'dist',
    platform: 'browser',
    format: 'iife',
  }),
  esbuild.build({ ...shipped, entryPoints: { chat: 'src/webview/chat.css' }, outdir: 'dist' }),
]);
writeLicenses(results.flatMap(({ metafile }) => Object.keys(metafile.inputs)));

/** Gathers the licences of the packages that are in the bundles. */
function writeLicenses(inputs) {
  const packages = new Set(inputs.map((f) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(f)?.[0]).filter(Boolean));
  const texts = [...packages].sort().map((dir) => {
    const { name, version, license } = JSON.parse(readFileSync(path.join(dir, 'package.json'), 'utf8'));
    const file = readdirSync(dir).find((f) => /^licen[cs]e/i.test(f));
    const text = file ? readFileSync(path.join(dir, file), 'utf8').trim() : '';
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  mkdirSync('dist', { recursive: true });
  writeFileSync('dist/LICENSES.txt', texts.join(`\n${'-'.repeat(80)}\n\n`));
}

if (process.argv.includes('--tests')) {
  const tests = { bundle: true, sourcemap: true, logLevel: 'warning', target: 'es2023', platform: 'node', format: 'cjs' };
  const named = (dir) => readdirSync(dir).filter((f) => f.endsWith('.test.ts')).map((f) => `${dir}/${f}`);
  await esbuild.build({
    ...tests,
    entryPoints: ['test/host/index.ts', ...named('test/host')],
    outdir: 'out/host',
    external: ['vscode', 'mocha'],
  });
  await esbuild.build({
    ...tests,
    entryPoints: named('test/unit'),
    outdir: 'out/unit',
    alias: { vscode: './test/unit/vscode.cjs' },
  });
}
