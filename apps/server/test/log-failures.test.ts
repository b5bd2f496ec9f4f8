import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, openSync } from 'node:fs';
import { missingProgram, newFolder, skips } from '@petstore/testing';
import { expect, onTestFinished, test } from 'vitest';
import { fillLog, lostLines, reportedLoss } from './log-lines.ts';
import { startProcess } from './server-process.ts';

const stopped = { code: 0, signal: null };

test('a log reader that stops blocks nobody, and gets the number of lost lines', async () => {
  const { child, origin, ended } = await startProcess(newFolder());
  await fillLog(origin, 200);
  await expect.poll(() => lostLines(origin)).toBeGreaterThan(0);
  expect(await reportedLoss(child)).toBeGreaterThan(0);
  child.kill('SIGTERM');
  expect(await ended).toEqual(stopped);
});

test('a log reader that exits does not stop the server', async () => {
  const { child, origin, ended } = await startProcess(newFolder());
  child.stdout?.destroy();
  await fillLog(origin, 200);
  await expect.poll(() => lostLines(origin)).toBeGreaterThan(100);
  child.kill('SIGTERM');
  expect(await ended).toEqual(stopped);
});

test('a full log disk does not stop the server', async () => {
  const { child, origin, ended } = await startProcess(newFolder(), [], { stdout: openSync('/dev/full', 'w') });
  await fillLog(origin, 200);
  await expect.poll(() => lostLines(origin)).toBeGreaterThan(0);
  child.kill('SIGTERM');
  expect(await ended).toEqual(stopped);
});

test.skipIf(skips('the log on a terminal that stops', missingProgram('python3', ['-c', 'import pty']), 'python3'))(
  'a terminal that stops blocks nobody',
  async () => {
    const python = 'import os, pty, sys; print(os.ttyname(pty.openpty()[1]), flush=True); sys.stdin.read()';
    const terminal = spawn('python3', ['-c', python]);
    onTestFinished(() => void terminal.kill());
    const [name] = await once(terminal.stdout, 'data');
    const stdout = openSync(String(name).trim(), constants.O_WRONLY | constants.O_NOCTTY);
    const { child, origin, ended } = await startProcess(newFolder(), [], { stdout });
    await fillLog(origin, 200);
    await expect.poll(() => lostLines(origin)).toBeGreaterThan(0);
    child.kill('SIGTERM');
    expect(await ended).toEqual({ code: null, signal: 'SIGTERM' });
  },
);
