import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@petstore/server';
import { collection, newDocument } from './workload.ts';

/** The median. */
export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}

/** The median of the ratios of two numbers, round by round. */
export function medianRatio(parts: readonly number[], wholes: readonly number[]): number {
  return median(parts.map((part, round) => part / (wholes[round] ?? Number.NaN)));
}

/** A number rounded for people to read. */
export function rounded(value: number, digits = 2): number {
  return Number(value.toFixed(digits));
}

/**
 * Measures all subjects in turns, so that other load on the machine affects all alike. Each round begins with another
 * subject. An additional round, number -1, only warms up.
 */
export async function inRounds<T, Measured>(
  subjects: readonly T[],
  rounds: number,
  measure: (subject: T, round: number) => Promise<Measured>,
): Promise<Map<T, Measured[]>> {
  const measured = new Map<T, Measured[]>(subjects.map((subject) => [subject, []]));
  for (let round = -1; round < rounds; round++) {
    const first = Math.max(round, 0) % subjects.length;
    for (const subject of [...subjects.slice(first), ...subjects.slice(0, first)]) {
      const result = await measure(subject, round);
      if (round >= 0) measured.get(subject)?.push(result);
    }
  }
  return measured;
}

/** The calls per second of concurrent callers, each of which repeats the call until there are `count` calls or the time is over. */
export async function measureRate(
  call: () => unknown,
  callers: number,
  { count = Number.POSITIVE_INFINITY, milliseconds = Number.POSITIVE_INFINITY },
): Promise<number> {
  const started = performance.now();
  let calls = 0;
  const caller = async () => {
    while (calls < count && performance.now() - started < milliseconds) {
      calls++;
      await call();
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return (calls / (performance.now() - started)) * 1000;
}

/** Adds `count` documents to a store. */
export async function fill(store: Store, count: number): Promise<void> {
  for (let done = 0; done < count; done += 1000) {
    const batch = Array.from({ length: Math.min(1000, count - done) }, (_, i) => newDocument(done + i + 1));
    await Promise.all(batch.map((document) => store.collection(collection).create(document)));
  }
}

/** Runs `use` with a temporary folder, and removes the folder afterwards. */
export async function withScratch<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
