import { once } from 'node:events';
import { openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { newFolder } from '@petstore/testing';
import { expect, test } from 'vitest';
import { startProcess } from './server-process.ts';

const path = `/v1/${'x'.repeat(8000)}`;

/** Enough requests that their lines are more than the buffer of the log and of a pipe hold. */
async function fillLog(origin: string): Promise<void> {
  for (let i = 0; i < 10; i++) {
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await fetch(origin + path)).status));
    expect(new Set(statuses)).toEqual(new Set([401]));
  }
}

const lost = async (origin: string) =>
  Number(/^petstore_log_lines_lost_total (\d+)$/m.exec(await (await fetch(`${origin}/metrics`)).text())?.[1]);

test('a log reader that stops blocks nobody, and gets the number of lost lines', async () => {
  const { child, origin } = await startProcess(newFolder());
  await fillLog(origin);
  await expect.poll(() => lost(origin)).toBeGreaterThan(0);
  // It reads again.
  const reported = new Promise<number>((resolve) => {
    createInterface({ input: child.stdout as NonNullable<typeof child.stdout> }).on('line', (line) => {
      const entry = JSON.parse(line);
      if (entry.msg === 'log lines were lost') resolve(entry.lost);
    });
  });
  expect(await reported).toBeGreaterThan(0);
  child.kill('SIGTERM');
  await once(child, 'exit');
  expect(child.exitCode).toBe(0);
});

test('a log reader that exits does not stop the server', async () => {
  const { child, origin, ended } = await startProcess(newFolder());
  child.stdout?.destroy();
  await fillLog(origin);
  await expect.poll(() => lost(origin)).toBeGreaterThan(100);
  child.kill('SIGTERM');
  expect(await ended).toEqual({ code: 0, signal: null });
});

test('a full log disk does not stop the server', async () => {
  const { child, origin, ended } = await startProcess(newFolder(), [], { stdout: openSync('/dev/full', 'w') });
  await fillLog(origin);
  await expect.poll(() => lost(origin)).toBeGreaterThan(0);
  child.kill('SIGTERM');
  expect(await ended).toEqual({ code: 0, signal: null });
});
