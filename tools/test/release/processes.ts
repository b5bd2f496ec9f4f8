import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';

/** What npm links are scripts on Windows, which only a shell runs; what a shell is given loses its quotes. */
const shellFor = (command: string) =>
  process.platform === 'win32' && !['git', 'tar', process.execPath].includes(command);

export type Env = Readonly<Record<string, string | undefined>>;

/** Runs a program to its end and gives what it printed; if it fails, so does this, with everything it said. */
export function run(cwd: string, env: Env, command: string, ...args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { cwd, env, shell: shellFor(command), maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${command} ${args.join(' ')}\n${stdout}\n${stderr}`, { cause: error }));
      else resolve(stdout);
    });
  });
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'close');
  child.kill();
  await ended;
}

/** The server of a checkout, in a process of its own, and its address. */
export async function serve(checkout: string, dataDir: string, apiKey: string) {
  const child = spawn(process.execPath, ['apps/server/src/main.ts'], {
    cwd: checkout,
    env: { ...process.env, PORT: '0', PETSTORE_DATA_DIR: dataDir, PETSTORE_API_KEYS: apiKey },
  });
  let output = '';
  const baseUrl = await new Promise<string>((resolve, reject) => {
    const take = (data: Buffer) => {
      output += data;
      const [, url] = /listens on {2}(\S+)\n/.exec(output) ?? [];
      if (url) resolve(url);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('close', () => reject(new Error(`The server did not start: ${output}`)));
  });
  return { baseUrl, close: () => stop(child) };
}
