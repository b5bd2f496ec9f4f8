// `npm start` and `npm run dev` do all set-up, pass flags on, and end with npm.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePort, newFolder, skips } from '@petstore/testing';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../repository.ts';

const reason = process.platform === 'win32' ? 'Windows has no signals' : undefined;
const isWindows = skips('the end of npm start by signals', reason);

/** Runs npm in a process group of its own, as a terminal does, until the server prints its address. */
async function startServer(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const all = { ...process.env, PETSTORE_DATA_DIR: join(newFolder(), 'data'), ...env };
  const npm = spawn('npm', args, { cwd: root, env: all, detached: true });
  onTestFinished(() => end(npm, 'SIGKILL', 'group'));
  let output = '';
  const address = new Promise<string>((resolve, reject) => {
    for (const stream of [npm.stdout, npm.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const found = /listens on +(http:\/\/[\d.:]+)/.exec(output);
        if (found) resolve(found[1] ?? '');
      });
    }
    npm.on('close', () => reject(new Error(`npm ${args.join(' ')} ended:\n${output}`)));
  });
  return { npm, origin: await address };
}

/** Sends a signal to npm, or to its whole group, and waits until no process holds its output any more. */
async function end(npm: ChildProcess, signal: NodeJS.Signals, to: 'npm' | 'group'): Promise<void> {
  if (npm.pid === undefined || npm.exitCode !== null || npm.signalCode !== null) return;
  const closed = once(npm, 'close');
  process.kill(to === 'group' ? -npm.pid : npm.pid, signal);
  await closed;
}

test('flags of `npm start` reach the server', async () => {
  const port = await freePort();
  const { origin } = await startServer(['start', '--', '--port', `${port}`], { PORT: '0' });
  expect(origin).toBe(`http://127.0.0.1:${port}`);
});

test.skipIf(isWindows).each([
  ['SIGTERM to npm', 'SIGTERM', 'npm'],
  ['Ctrl-C', 'SIGINT', 'group'],
  ['the end of the terminal', 'SIGHUP', 'group'],
] as const)('after %s, the server of `npm start` has ended', async (_, signal, to) => {
  const folder = newFolder();
  const PETSTORE_DATA_DIR = join(folder, 'data');
  const { npm, origin } = await startServer(['start'], { PORT: '0', PETSTORE_DATA_DIR });
  expect((await fetch(`${origin}/healthz`)).status).toBe(200);
  await end(npm, signal, to);
  // Its port and its data folder are free.
  const again = await startServer(['start'], { PORT: new URL(origin).port, PETSTORE_DATA_DIR });
  expect(again.origin).toBe(origin);
});

test.skipIf(isWindows)('Ctrl-C ends `npm run dev`', async () => {
  const { npm, origin } = await startServer(['run', 'dev'], { PORT: '0' });
  expect((await fetch(`${origin}/healthz`)).status).toBe(200);
  await end(npm, 'SIGINT', 'group');
  await expect(fetch(`${origin}/healthz`)).rejects.toThrow('fetch failed');
});

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

test.skipIf(isWindows)(
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
  const script = `import('${setup}').then(({ installedNode }) => console.log(installedNode()))`;
  const installedNode = (...flags: string[]) =>
    execFileSync(process.execPath, [...flags, '--eval', script], {
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();
  expect(installedNode()).toBe(process.execPath);
  // This Node runs no TypeScript, like one before 22.18.
  expect(() => installedNode('--no-strip-types')).toThrow('install Node 22.18 or later');
});
