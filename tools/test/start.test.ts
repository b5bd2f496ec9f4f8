// `npm start` and `npm run dev` do all set-up, and end with npm, however that ends.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { childrenOf, makeFolder, newFolder, skips } from '@petstore/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../repository.ts';

const reason = process.platform === 'linux' ? undefined : 'a command is tied to npm on Linux';
const isElsewhere = skips('the end of npm start by signals', reason);

/** Runs an npm script in a process group of its own until it prints what is expected. */
async function npmRun(script: string, expected: RegExp, env: NodeJS.ProcessEnv) {
  const npm = spawn('npm', ['run', script], {
    cwd: root,
    env: { ...process.env, ...env },
    detached: true,
  });
  let output = '';
  const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
  for (const stream of [npm.stdout, npm.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
      const found = expected.exec(output);
      if (found) resolve(found);
    });
  npm.on('close', () => reject(new Error(`npm run ${script} ended:\n${output}`)));
  const [, origin = ''] = await promise;
  return { npm, origin };
}

/** Sends a signal to npm, and waits until no process holds its output any more. */
async function end(npm: ChildProcess, send: () => unknown): Promise<void> {
  const closed = once(npm, 'close');
  send();
  await closed;
}

describe.skipIf(isElsewhere)('the server of `npm start`', () => {
  const data = makeFolder('start');
  const start = (port: string) =>
    npmRun('start', /listens on +(http:\/\/[\d.:]+)/, {
      PORT: port,
      PETSTORE_DATA_DIR: join(data.folder, 'data'),
    });
  let running: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    running = await start('0');
  });
  afterAll(async () => {
    await end(running.npm, () => running.npm.kill());
    data.remove();
  });

  // Each test goes on with the server that the one before has started.
  test.each(['SIGTERM', 'SIGHUP', 'SIGKILL', 'Ctrl-C'] as const)(
    'releases the port and the data folder after %s',
    async (signal) => {
      const { npm, origin } = running;
      expect((await fetch(`${origin}/healthz`)).status).toBe(200);
      // A terminal sends Ctrl-C to npm and to everything that it started.
      await end(npm, () =>
        signal === 'Ctrl-C' ? process.kill(-(npm.pid ?? 0), 'SIGINT') : npm.kill(signal),
      );
      running = await start(new URL(origin).port);
      expect(running.origin).toBe(origin);
    },
  );
});

/** A process and all that it started, directly or not. */
const familyOf = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(familyOf)];

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test.skipIf(isElsewhere)(
  'after SIGKILL to `npm run dev` nothing that it started goes on',
  async () => {
    const { npm } = await npmRun('dev', /listens on/, {
      PORT: '0',
      PETSTORE_DATA_DIR: join(newFolder(), 'data'),
    });
    const family = familyOf(npm.pid ?? 0);
    expect(family.length).toBeGreaterThan(3);
    npm.kill('SIGKILL');
    await expect.poll(() => family.filter(isRunning)).toEqual([]);
  },
);

/** A folder with the set-up of a checkout, in which nothing is installed. */
function newCheckout(): string {
  const folder = newFolder('checkout');
  mkdirSync(join(folder, 'node_modules'));
  const files = ['tools/setup.mjs', 'package.json', 'pnpm-lock.yaml'];
  for (const file of files) cpSync(join(root, file), join(folder, file));
  return folder;
}

/** Installs a checkout whose npm is this script, or missing. */
function installWith(npm?: string) {
  const folder = newCheckout();
  if (npm !== undefined) writeFileSync(join(folder, 'npm'), `#!/bin/sh\n${npm}\n`, { mode: 0o755 });
  const PATH = npm === undefined ? folder : [folder, process.env.PATH].join(delimiter);
  return spawnSync(process.execPath, [join(folder, 'tools/setup.mjs')], {
    env: { PATH },
    encoding: 'utf8',
  });
}

test.skipIf(isElsewhere)(
  'without npm, and without a registry, the installation fails and says so',
  () => {
    const without = installWith();
    const message =
      /^Installing .*\nnpm cannot be started \(ENOENT\)\. Install it, and put it into PATH\.\n$/;
    expect([without.status, without.stderr]).toEqual([1, expect.stringMatching(message)]);
    const failing = installWith('echo no registry; exit 7');
    const failure = /^Installing .*\nThe installation failed:\nno registry\n$/;
    expect([failing.status, failing.stderr]).toEqual([1, expect.stringMatching(failure)]);
  },
);

test('where no package has Node for the platform, the Node of the machine runs everything', () => {
  const setup = pathToFileURL(join(newCheckout(), 'tools/setup.mjs')).href;
  const script = `import('${setup}').then(({ pinnedNode }) => console.log(pinnedNode()))`;
  const pinnedNode = (...flags: string[]) =>
    execFileSync(process.execPath, [...flags, '--eval', script], {
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();
  expect(pinnedNode()).toBe(process.execPath);
  // This Node runs no TypeScript, like one before 22.18.
  expect(() => pinnedNode('--no-strip-types')).toThrow('install Node 22.18 or later');
});
