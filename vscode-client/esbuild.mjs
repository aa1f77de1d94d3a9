// Builds the extension and its chat page; with --tests the tests too.
import * as esbuild from 'esbuild';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * What the language client loads without need here: the manifest already says which editors fit, and the server watches
 * no file operations, has no notebooks and no diagnostics to pull, whose patterns alone want a matcher.
 */
const unneeded = {
  'semver/functions/parse': 'module.exports = (version) => ({ version });',
  'semver/functions/satisfies': 'module.exports = () => true;',
  minimatch: "exports.Minimatch = class { constructor(glob) { throw new Error('no patterns are served: ' + glob); } };",
};

const withoutUnneeded = {
  name: 'without-unneeded',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(?:semver|minimatch)/ }, ({ path }) => (path in unneeded ? { path, namespace: 'unneeded' } : undefined));
    onLoad({ filter: /.*/, namespace: 'unneeded' }, ({ path }) => ({ contents: unneeded[path] }));
  },
};

const shipped = { bundle: true, minify: true, logLevel: 'warning', target: 'es2023', legalComments: 'none', charset: 'utf8', metafile: true };

const results = await Promise.all([
  esbuild.build({
    ...shipped,
    entryPoints: { extension: 'src/extension/extension.ts' },
    outdir: 'dist',
    platform: 'node',
    format: 'cjs',
    external: ['vscode'],
    plugins: [withoutUnneeded],
  }),
  esbuild.build({
    ...shipped,
    entryPoints: { chat: 'src/webview/main.ts' },
    outdir: 'dist',
    platform: 'browser',
    format: 'iife',
    loader: { '.css': 'text' },
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
