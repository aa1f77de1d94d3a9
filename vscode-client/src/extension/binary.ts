import { execFile } from 'node:child_process';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as path from 'node:path';

/** Finding the server's program: no editor, no state. */

export const programName = process.platform === 'win32' ? 'agent-ls.exe' : 'agent-ls';

/** The version of the Agent Client Protocol that is spoken. */
const acpVersion = 1;

/** How long a program may take to say its version, in milliseconds. */
const versionPatience = 10_000;

export interface Server {
  readonly command: string;
  readonly version: string;
}

export interface Places {
  /** The user's setting, '' for none. */
  readonly setting: string;
  /** The extension's folder; platform packages have the program in it. */
  readonly extension: string;
  /** The PATH of the environment. */
  readonly path: string;
}

/** MissingServer says for people what was looked for and what to do. */
export class MissingServer extends Error {}

/**
 * Finds the server: the setting, else the first on PATH, else the one of the
 * package. A program that does not fit is passed over, but one that the user
 * has named is an error.
 */
export async function findServer(places: Places): Promise<Server> {
  if (places.setting !== '') {
    const command = expand(places.setting);
    const found = await probe(command);
    if (typeof found === 'string') {
      throw new MissingServer(`${command}, the setting agentLs.server.path, ${found}. Correct or clear the setting.`);
    }
    return found;
  }
  const problems: string[] = [];
  for (const command of await candidates(places)) {
    const found = await probe(command);
    if (typeof found !== 'string') {
      return found;
    }
    problems.push(`${command} ${found}`);
  }
  const why = problems.length > 0 ? problems.join('; ') : 'It is neither on PATH nor part of this package';
  throw new MissingServer(
    `The program agent-ls was not found. ${why}. Install agent-ls, or give its path in the setting agentLs.server.path.`,
  );
}

function expand(command: string): string {
  return command.startsWith('~/') ? path.join(os.homedir(), command.slice(2)) : command;
}

async function candidates(places: Places): Promise<string[]> {
  const folders = places.path.split(path.delimiter).filter((dir) => path.isAbsolute(dir));
  const all = [...folders, path.join(places.extension, 'server')].map((dir) => path.join(dir, programName));
  const there = await Promise.all(all.map((file) => fs.access(file, fs.constants.X_OK).then(() => true, () => false)));
  return all.filter((_, i) => there[i]);
}

interface VersionAnswer {
  readonly version?: string;
  readonly protocols?: { readonly acp?: number };
}

/** Asks a program what it is; a text is why it cannot be used. */
async function probe(command: string): Promise<Server | string> {
  const answer = await versionOf(command);
  if (typeof answer === 'string') {
    return answer;
  }
  if ((answer.protocols?.acp ?? 0) < acpVersion) {
    return `is too old (version ${answer.version ?? 'unknown'}); update it`;
  }
  return { command, version: answer.version ?? 'unknown' };
}

function versionOf(command: string): Promise<VersionAnswer | string> {
  return new Promise((resolve) => {
    execFile(command, ['version', '--json'], { timeout: versionPatience }, (error, stdout) => {
      if (error) {
        const gone = 'code' in error && error.code === 'ENOENT';
        resolve(gone ? 'does not exist' : `does not run as agent-ls (${error.message.split('\n')[0]})`);
        return;
      }
      try {
        resolve(JSON.parse(stdout) as VersionAnswer);
      } catch {
        resolve('is another program: it does not tell its version as JSON');
      }
    });
  });
}
