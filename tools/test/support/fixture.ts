import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { missingShell, skips } from '@petstore/testing';
import { root } from '../../repository.ts';
import type { Env } from './process.ts';
import { newProject } from './project.ts';
import { type Server, startServer } from './server.ts';

/** Whether this machine has the shell for which pages and examples are written. */
export const hasShell = !skips('the commands of pages and examples', missingShell);

interface Result {
  code: number | null;
  /** Its stdout and stderr, as they came. */
  output: string;
}

/** What the reader of a page has: a home, a project in it, and a server that was started there. */
export interface Fixture {
  readonly folder: string;
  /** What the server printed when it started, as a page shows it. */
  readonly greeting: string;
  /** The text of a page, with the address and the key of this server. */
  fillIn(text: string): string;
  /** Runs commands in a shell. Later commands see the variables that they export and the folder that they change to. */
  run(commands: string, env?: Record<string, string>): Promise<Result>;
  close(): Promise<void>;
}

/** The address and the key that pages show. */
const SHOWN = { origin: 'http://127.0.0.1:8080', key: 'pk_…' };

export async function newFixture(
  start: (folder: string, env: Env) => Promise<Server> = () => startServer(),
): Promise<Fixture> {
  const { home, folder, remove } = await newProject();
  await symlink(join(root, 'apps/server'), join(folder, 'node_modules/@petstore/server'), 'junction');
  const env = {
    PATH: [join(home, 'bin'), dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: home,
    TMPDIR: process.env.TMPDIR,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    PETCTL_KEYRING: 'false',
    NO_COLOR: '1',
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
  };
  const server = await start(folder, env).catch((error: unknown) => {
    remove();
    throw error;
  });
  const { origin, key } = server;
  await writeFile(join(folder, 'key.txt'), key);
  const addresses = { PETCTL_BASE_URL: `${origin}/v1`, PETSTORE_BASE_URL: `${origin}/v1` };
  const keys = { PETCTL_API_KEY: key, PETSTORE_API_KEY: key };

  const fillIn = (text: string) => text.replaceAll(SHOWN.origin, origin).replaceAll(SHOWN.key, key);
  const asShown = (text: string) => text.replaceAll(origin, SHOWN.origin).replaceAll(key, SHOWN.key);

  const state = join(home, 'state');
  await writeFile(state, '');
  const run = async (commands: string, more: Record<string, string> = {}) => {
    const added = Object.entries(more).map(([name, value]) => `export ${name}='${value}'`);
    const saved = `unset ${Object.keys(more).join(' ')}; { export -p; echo "cd '$PWD'"; } > '${state}'`;
    const saving = [`save() { code=$?; ${saved}; exit $code; }`, 'trap save EXIT', 'set -e'];
    const script = ['exec 2>&1', `. '${state}'`, ...added, ...saving, fillIn(commands)];
    const child = spawn('sh', ['-c', script.join('\n')], {
      cwd: folder,
      env: { ...env, ...addresses, ...keys },
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 50_000,
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const [code] = await once(child, 'close');
    return { code, output: asShown(output) };
  };
  const close = async () => {
    await server.stop();
    remove();
  };
  return { folder, greeting: asShown(server.greeting), fillIn, run, close };
}
