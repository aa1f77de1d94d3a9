// Builds the extension and its chat page; with --tests the tests too.
import * as esbuild from 'esbuild';
import { readdirSync } from 'node:fs';

const tests = process.argv.includes('--tests');
const common = { bundle: true, minify: !tests, sourcemap: tests, logLevel: 'warning', legalComments: 'linked', target: 'es2023' };

await esbuild.build({
  ...common,
  minify: true,
  entryPoints: { extension: 'src/extension/extension.ts' },
  outdir: 'dist',
  platform: 'node',
  format: 'cjs',
  external: ['vscode'],
});
await esbuild.build({
  ...common,
  minify: true,
  entryPoints: { chat: 'src/webview/main.ts' },
  outdir: 'dist',
  platform: 'browser',
  format: 'iife',
});
await esbuild.build({ ...common, minify: true, entryPoints: { chat: 'src/webview/chat.css' }, outdir: 'dist' });

if (tests) {
  const named = (dir) => readdirSync(dir).filter((f) => f.endsWith('.test.ts')).map((f) => `${dir}/${f}`);
  await esbuild.build({
    ...common,
    entryPoints: ['test/host/index.ts', ...named('test/host')],
    outdir: 'out/host',
    platform: 'node',
    format: 'cjs',
    external: ['vscode', 'mocha'],
  });
  await esbuild.build({
    ...common,
    entryPoints: named('test/unit'),
    outdir: 'out/unit',
    platform: 'node',
    format: 'cjs',
    external: ['jsdom'],
    alias: { vscode: './test/unit/vscode.cjs' },
  });
}
