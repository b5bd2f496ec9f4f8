import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { root } from './pages.ts';
import { newProject, type Project } from './project.ts';

/** Whether the commands of the pages can be run on this machine. */
export const hasShell = process.platform !== 'win32';
if (!hasShell)
  console.warn('\n!!! SKIPPED: what the pages and the examples show is not run: Windows has no shell like theirs.\n');

interface Ended {
  code: number | null;
  /** What it printed, on stdout and on stderr, as it came. */
  output: string;
}

/** What somebody has who follows a page: an own home, the folder to work in, and a server that was started there. */
export interface World {
  readonly folder: string;
  readonly origin: string;
  readonly key: string;
  /** What the server printed when it started. */
  readonly greeting: string;
  /** The text of a page with the address and the key of this server. */
  here(text: string): string;
  /** Runs commands in a shell. What they export, and where they go, holds for the next ones too. */
  run(commands: string, env?: Record<string, string>): Promise<Ended>;
  close(): Promise<void>;
}

/** Where the server of a page listens as far as the page knows, and its key there. */
const shown = { origin: 'http://127.0.0.1:8080', key: 'pk_…' };

/** A world of its own, whose server finds these variables beside those that every server gets. */
export async function newWorld(settings: Record<string, string> = {}, project?: Project): Promise<World> {
  const { home, folder, remove } = project ?? (await newProject());
  const env = {
    PATH: `${join(home, 'bin')}:${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: home,
    PETCTL_KEYRING: 'false',
    NO_COLOR: '1',
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
  };
  const server = await startServer(folder, { ...env, ...settings }).catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  const { origin, key } = server;
  await writeFile(join(folder, 'key.txt'), key);
  const addresses = { PETCTL_BASE_URL: `${origin}/v1`, PETSTORE_BASE_URL: `${origin}/v1` };
  const keys = { PETCTL_API_KEY: key, PETSTORE_API_KEY: key };

  const here = (text: string) => text.replaceAll(shown.origin, origin).replaceAll(shown.key, key);
  const there = (text: string) => text.replaceAll(origin, shown.origin).replaceAll(key, shown.key);

  const state = join(home, 'state');
  await writeFile(state, '');
  const run = async (commands: string, more: Record<string, string> = {}) => {
    const given = Object.entries(more).map(([name, value]) => `export ${name}='${value}'`);
    const kept = `unset ${Object.keys(more).join(' ')}; { export -p; echo "cd '$PWD'"; } > '${state}'`;
    const around = [`keep() { code=$?; ${kept}; exit $code; }`, 'trap keep EXIT', 'set -e'];
    const script = ['exec 2>&1', `. '${state}'`, ...given, ...around, here(commands)];
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
    return { code, output: there(output) };
  };
  const close = async () => {
    await server.stop();
    await remove();
  };
  return { folder, origin, key, greeting: there(server.greeting), here, run, close };
}

/** Starts the server as `npm start` does, in a folder where none has been before. */
async function startServer(cwd: string, env: Record<string, string>) {
  const child = spawn(process.execPath, [join(root, 'apps/server/src/main.ts')], {
    cwd,
    env: { ...env, PORT: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
    // Should nobody stop it.
    timeout: 600_000,
  });
  const ended = once(child, 'close');
  let greeting = '';
  const greeted = new Promise<{ origin: string; key: string }>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      greeting += text;
      const [, key, origin] = /curl -H 'Authorization: Bearer (.+)' (\S+)\/v1\/pets\n/.exec(greeting) ?? [];
      if (key && origin) resolve({ key, origin });
    });
    ended.then(([code]) => reject(new Error(`the server ended with ${code}: ${greeting}`)), reject);
  });
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return { ...(await greeted), greeting, stop };
}
