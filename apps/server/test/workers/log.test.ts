import { once } from 'node:events';
import { newFolder } from '@petstore/testing';
import { describeOnSchema } from '@petstore/testing/postgres';
import { expect, test } from 'vitest';
import { fillLog, lostLines, readLog, reportedLoss } from '../log-lines.ts';
import { startOnFolder } from '../server-process.ts';

describeOnSchema('the log of two workers', (newSchema) => {
  const start = async () =>
    startOnFolder(newFolder(), ['--workers', '2'], { env: { DATABASE_URL: await newSchema() } });
  const stopped = { code: 0, signal: null };

  test('is one stream of whole lines', async () => {
    const { child, origin, ended } = await start();
    const numbers: number[] = [];
    const pids = new Set<unknown>();
    readLog(child, ({ path, pid }) => {
      if (!String(path).includes('xxx')) return;
      numbers.push(Number.parseInt(String(path).slice('/v1/'.length), 10));
      pids.add(pid);
    });
    const closed = once(child, 'close');
    await fillLog(origin, 400);
    child.kill('SIGTERM');
    await closed;
    expect(await ended).toEqual(stopped);
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 400 }, (_, i) => i));
    expect(pids.size).toBe(2);
  });

  test('blocks nobody if it is not read, and counts and reports the lost lines', async () => {
    const { child, origin, ended } = await start();
    await fillLog(origin, 300);
    await expect.poll(() => lostLines(origin)).toBeGreaterThan(0);
    expect(await reportedLoss(child)).toBeGreaterThan(0);
    child.kill('SIGTERM');
    expect(await ended).toEqual(stopped);
  });
});
