import { readdirSync } from 'node:fs';
import * as path from 'node:path';
import Mocha from 'mocha';
import { say } from './report';

/** Runs the tests in the extension host; the workbench calls it. */
export async function run(): Promise<void> {
  const suite = new Mocha({ ui: 'bdd', timeout: 120_000, grep: process.env['VSCODE_CLIENT_GREP'], reporter: 'min' });
  for (const file of readdirSync(__dirname).filter((f) => f.endsWith('.test.js')).sort()) {
    suite.addFile(path.join(__dirname, file));
  }
  const failures = await new Promise<number>((done) => {
    const runner = suite.run(done);
    runner.on('pass', (test) => say(`  ok ${test.fullTitle()} (${test.duration} ms)`));
    runner.on('fail', (test, error: Error) => say(`  FAILED ${test.fullTitle()}\n${error.stack ?? error.message}`));
  });
  if (failures > 0) {
    throw new Error(`${failures} tests failed`);
  }
}
