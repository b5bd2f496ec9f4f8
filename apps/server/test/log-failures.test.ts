import { openSync } from 'node:fs';
import { newFolder } from '@petstore/testing';
import { expect, test } from 'vitest';
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
