import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { newFolder } from '@petstore/testing';
import { describeOnDatabase } from '@petstore/testing/postgres';
import { apiKey, serverNode } from '@petstore/testing/server';
import { expect, onTestFinished, test } from 'vitest';
import { main } from '../server-process.ts';
import { get } from './team.ts';

const lost = async (origin: string) =>
  Number(/^petstore_log_lines_lost_total (\d+)$/m.exec((await get(`${origin}/metrics`)).text)?.[1]);

/** Requests whose lines are longer than what a pipe takes at once, from many connections. */
async function fillLog(origin: string, count: number): Promise<void> {
  for (let i = 0; i < count; i += 20) {
    const path = (j: number) => `${origin}/v1/${i + j}-${'x'.repeat(8000)}`;
    const statuses = await Promise.all(Array.from({ length: 20 }, async (_, j) => (await get(path(j))).status));
    expect(new Set(statuses)).toEqual(new Set([404]));
  }
}

async function start(url: string, stdout: 'pipe' | number) {
  const env = { ...process.env, PORT: '0', PETSTORE_DATA_DIR: newFolder(), PETSTORE_API_KEYS: apiKey };
  const child = spawn(serverNode, [main, '--workers', '2'], {
    env: { ...env, DATABASE_URL: url },
    stdio: ['ignore', stdout, 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let origin: string | undefined;
  for await (const line of createInterface({ input: child.stderr as NonNullable<typeof child.stderr> })) {
    origin ??= /listens on +(\S+)\/v1/.exec(line)?.[1];
    if (line.includes('curl') && origin) break;
  }
  child.stderr?.resume();
  return { child, origin: origin ?? '' };
}

describeOnDatabase('the log of two workers', (newDatabase) => {
  test('is one stream of whole lines', async () => {
    const { child, origin } = await start(await newDatabase(), 'pipe');
    const numbers: number[] = [];
    const pids = new Set<number>();
    createInterface({ input: child.stdout as NonNullable<typeof child.stdout> }).on('line', (line) => {
      const { path, pid } = JSON.parse(line);
      if (!path?.includes('xxx')) return;
      numbers.push(Number.parseInt(path.slice('/v1/'.length), 10));
      pids.add(pid);
    });
    await fillLog(origin, 400);
    child.kill('SIGTERM');
    await once(child, 'close');
    expect(child.exitCode).toBe(0);
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 400 }, (_, i) => i));
    expect(pids.size).toBe(2);
  });

  test('that nobody reads holds nobody up, and what is lost is counted and reported', async () => {
    const { child, origin } = await start(await newDatabase(), 'pipe');
    await fillLog(origin, 300);
    await expect.poll(() => lost(origin)).toBeGreaterThan(0);
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

  test('ends nothing where its disk is full', async () => {
    const { child, origin } = await start(await newDatabase(), openSync('/dev/full', 'w'));
    await fillLog(origin, 300);
    await expect.poll(() => lost(origin)).toBeGreaterThan(0);
    child.kill('SIGTERM');
    await once(child, 'exit');
    expect(child.exitCode).toBe(0);
  });
});
