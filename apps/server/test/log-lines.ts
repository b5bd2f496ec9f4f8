import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import { get } from './requests.ts';

/** Calls `handle` with each entry that a server writes to its log. */
export function readLog(child: ChildProcess, handle: (entry: Record<string, unknown>) => void): void {
  const input = child.stdout as NonNullable<typeof child.stdout>;
  createInterface({ input }).on('line', (line) => handle(JSON.parse(line)));
}

/** Sends requests whose log lines exceed the buffers of the log and of a pipe, each over its own connection. */
export async function fillLog(origin: string, count: number): Promise<void> {
  for (let i = 0; i < count; i += 20) {
    const path = (j: number) => `/v1/${i + j}-${'x'.repeat(8000)}`;
    const send = async (_: unknown, j: number) => (await get(origin + path(j))).status;
    expect(new Set(await Promise.all(Array.from({ length: 20 }, send)))).toEqual(new Set([404]));
  }
}

/** The number of lost lines in the metrics. */
export async function lostLines(origin: string): Promise<number> {
  const { text } = await get(`${origin}/metrics`);
  return Number(/^petstore_log_lines_lost_total (\d+)$/m.exec(text)?.[1]);
}

/** The number of lost lines that the log itself reports once it is read. */
export function reportedLoss(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    readLog(child, ({ msg, lost }) => {
      if (msg === 'log lines were lost') resolve(Number(lost));
    });
  });
}
