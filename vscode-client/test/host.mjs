// Runs out/host in the extension host of a real workbench; the exit status is the tests'.
import fs from 'node:fs';
import path from 'node:path';
import { launchBrowser, profile, startWorkbench, workspaceFile } from './workbench.mjs';

const here = path.resolve(import.meta.dirname, '..');
const limit = Number(process.env.VSCODE_CLIENT_LIMIT ?? 900_000);

// A workspace of two folders, so that all of it is tested with more than one; settings of it that must not count.
const place = profile({
  'readme.md': '# A workspace\n',
  '.vscode/settings.json': JSON.stringify({ 'agentLs.server.path': '/bin/false', 'agentLs.mode': 'full-access' }),
});
const workspace = workspaceFile(place, 'work', 'second');
const report = `${place.dir}/report.txt`;
fs.writeFileSync(report, '');
process.env.VSCODE_CLIENT_REPORT = report;
const server = await startWorkbench(place);
const browser = await launchBrowser();
const remote = (file) => `vscode-remote://${server.origin}${file}`;
const payload = [
  ['extensionDevelopmentPath', remote(here)],
  ['extensionTestsPath', remote(`${here}/out/host/index.js`)],
  ['skipWelcome', 'true'],
  ['skipReleaseNotes', 'true'],
];
const page = await browser.newPage();
const ended = new Promise((resolve) => void page.exposeFunction('codeAutomationExit', resolve));
await page.exposeFunction('codeAutomationLog', () => undefined);
await page.goto(`http://${server.origin}/?workspace=${workspace}&payload=${encodeURIComponent(JSON.stringify(payload))}`);
const timer = new Promise((resolve) => setTimeout(resolve, limit, 'no end'));
const status = await Promise.race([ended, timer]);
console.log(fs.readFileSync(report, 'utf8'));
if (status !== 0) {
  console.log(`extension host: ${status}`);
  for (const file of fs.globSync(`${place.dir}/data/logs/**/*Agent.log`)) {
    console.log(fs.readFileSync(file, 'utf8'));
  }
  await page.screenshot({ path: `${process.env.VSCODE_CLIENT_FAILURES ?? place.dir}/host.png` });
}
await browser.close();
await server.stop();
if (!process.env.KEEP) place.remove();
process.exit(status === 0 ? 0 : 1);
