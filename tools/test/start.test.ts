import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { childrenOf, makeFolder, newFolder, rounds } from '@petstore/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../repository.ts';

const onWindows = process.platform === 'win32';

/** Runs `npm start`, and resolves with the server's address when it prints it. */
async function npmStart(dataDir: string, port = 0): Promise<{ npm: ChildProcess; origin: string }> {
  const env = { ...process.env, PORT: String(port), PETSTORE_DATA_DIR: dataDir };
  const npm = spawn('npm', ['start'], { cwd: root, env, shell: onWindows, detached: !onWindows });
  npm.stdout.resume();
  let output = '';
  for await (const text of npm.stderr.setEncoding('utf8')) {
    output += text;
    const [, origin] = /listens on +(http:\/\/[\d.:]+)/.exec(output) ?? [];
    if (origin) return { npm, origin };
  }
  throw new Error(`npm start ended:\n${output}`);
}

/** Resolves when nothing listens there any more. */
async function closed(origin: string): Promise<void> {
  while (await fetch(`${origin}/healthz`).catch(() => undefined)) await new Promise((done) => setTimeout(done, 20));
}

/** Ctrl-C on a terminal goes to npm and to everything that it started. */
const ctrlC = (npm: ChildProcess) => process.kill(-(npm.pid ?? 0), 'SIGINT');
const signal = (name: NodeJS.Signals) => (npm: ChildProcess) => npm.kill(name);

describe('the server of `npm start`', () => {
  let data: ReturnType<typeof makeFolder>;
  let running: Awaited<ReturnType<typeof npmStart>>;
  beforeAll(async () => {
    data = makeFolder('start');
    running = await npmStart(data.folder);
  });
  afterAll(async () => {
    running.npm.kill();
    await closed(running.origin);
    data.remove();
  });

  // Each test goes on with the server that the one before has started.
  test.each([
    ['SIGTERM', signal('SIGTERM')],
    ['SIGHUP', signal('SIGHUP')],
    ['SIGKILL', signal('SIGKILL')],
    ['Ctrl-C', onWindows ? signal('SIGINT') : ctrlC],
  ])('releases the port and the data folder after %s to npm', async (_, stop) => {
    const { npm, origin } = running;
    const ended = once(npm, 'exit');
    stop(npm);
    await ended;
    await closed(origin);
    running = await npmStart(data.folder, Number(new URL(origin).port));
    expect(running.origin).toBe(origin);
  });
});

/** A process and all that it started, directly or not. */
async function familyOf(pid: number): Promise<number[]> {
  const families = await Promise.all((await childrenOf(pid)).map(familyOf));
  return [pid, ...families.flat()];
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const commands = [
  { script: 'dev', begun: /listens on/ },
  { script: 'test', begun: /test: .*RUN/ },
];
const stops = (['SIGKILL', 'SIGTERM', 'SIGHUP'] as const).flatMap((name) =>
  commands.map((command) => ({ ...command, name })),
);

test.skipIf(onWindows).each(rounds(stops.slice(0, 1), stops))(
  'after $name to `npm run $script` nothing that it started goes on',
  async ({ script, begun, name }) => {
    // An aborted test run leaves its temporary folder behind.
    const env = { ...process.env, PORT: '0', PETSTORE_DATA_DIR: newFolder(), TMPDIR: newFolder() };
    const npm = spawn('npm', ['run', script], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    npm.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    await expect.poll(() => output).toMatch(begun);
    const family = await familyOf(npm.pid ?? 0);
    expect(family.length).toBeGreaterThan(5);
    npm.kill(name);
    await expect.poll(() => family.filter(isRunning)).toEqual([]);
  },
);

test.skipIf(onWindows)('a command that a signal ends has the exit code of that signal', () => {
  const processes = pathToFileURL(join(root, 'tools/processes.mjs')).href;
  const { npm_lifecycle_event: _, ...env } = process.env;
  for (const [name, number] of [
    ['HUP', 1],
    ['INT', 2],
    ['KILL', 9],
    ['TERM', 15],
  ] as const) {
    const script = `import('${processes}').then(({ runInstead }) => runInstead('sh', ['-c', 'kill -${name} $$']))`;
    expect(spawnSync(process.execPath, ['--eval', script], { env }).status).toBe(128 + number);
  }
});

/** Installs a checkout whose npm is this script, or missing. */
function installWith(npm?: string) {
  const folder = newFolder('npm');
  const files = ['tools/setup.mjs', 'tools/processes.mjs', 'package.json', 'pnpm-lock.yaml'];
  for (const file of files) cpSync(join(root, file), join(folder, file));
  if (npm !== undefined) writeFileSync(join(folder, 'npm'), `#!/bin/sh\n${npm}\n`, { mode: 0o755 });
  const PATH = npm === undefined ? folder : [folder, process.env.PATH].join(delimiter);
  const options = { env: { PATH }, encoding: 'utf8', timeout: 30_000 } as const;
  return spawnSync(process.execPath, [join(folder, 'tools/setup.mjs')], options);
}

test.skipIf(onWindows)('without npm, the installation fails in one line that says so', () => {
  const { status, stderr } = installWith();
  expect(status).toBe(1);
  expect(stderr).toMatch(/^Installing .*\nnpm cannot be started \(ENOENT\)\. Install it, and put it into PATH\.\n$/);
});

test.skipIf(onWindows)('warnings of npm that fill a pipe do not block the installation', () => {
  const { status, stderr } = installWith(
    'if [ "$1" = view ]; then head -c 1000000 /dev/zero >&2; exit; fi; echo no registry; exit 7',
  );
  expect(status).toBe(1);
  expect(stderr).toMatch(/^Installing .*\nThe installation failed:\nno registry\n$/);
});

test('where no package has Node for the platform, the Node of the machine runs everything', () => {
  const folder = newFolder('without-node');
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  for (const file of ['tools/setup.mjs', 'tools/processes.mjs']) cpSync(join(root, file), join(folder, file));
  const pinnedNode = (...flags: string[]) => {
    const setup = pathToFileURL(join(folder, 'tools/setup.mjs')).href;
    const script = `import('${setup}').then(({ pinnedNode }) => console.log(pinnedNode()))`;
    const args = [...flags, '--eval', script];
    return execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  };
  expect(pinnedNode()).toBe(process.execPath);
  // This Node runs no TypeScript, like one before 22.18.
  expect(() => pinnedNode('--no-strip-types')).toThrow('install Node 22.18 or later');
});
