import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { newFolder } from '@petstore/testing';
import { expect, onTestFinished, test } from 'vitest';
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

test.each([
  ['SIGTERM', signal('SIGTERM')],
  ['SIGHUP', signal('SIGHUP')],
  ['SIGKILL', signal('SIGKILL')],
  ['Ctrl-C', onWindows ? signal('SIGINT') : ctrlC],
])('after %s to `npm start` nothing keeps the port and the data folder', async (_, stop) => {
  const dataDir = newFolder();
  const { npm, origin } = await npmStart(dataDir);
  const ended = once(npm, 'exit');
  stop(npm);
  await ended;
  await closed(origin);
  const again = await npmStart(dataDir, Number(new URL(origin).port));
  onTestFinished(() => closed(origin));
  onTestFinished(() => void again.npm.kill());
  expect(again.origin).toBe(origin);
});
